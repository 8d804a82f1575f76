package journal

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

var errShape = errors.New("not of the form of a record")

// Decode reads a JSON object into what a pointer points to. It ignores members that it
// does not know: a newer version wrote them.
func Decode(line []byte, to any) error {
	if !gjson.ValidBytes(line) {
		return errors.New("not JSON")
	}
	d := decoder{}
	return d.setValue(reflect.ValueOf(to).Elem(), gjson.ParseBytes(line))
}

// A decoder remembers the names of the fields of the types that it has met.
type decoder map[reflect.Type][]string

func (d decoder) setValue(v reflect.Value, from gjson.Result) error {
	if from.Type == gjson.Null {
		return nil
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		t, err := time.Parse(time.RFC3339Nano, from.Str)
		v.Set(reflect.ValueOf(t))
		return err
	}
	switch k := v.Kind(); {
	case k == reflect.String && from.Type == gjson.String:
		v.SetString(from.Str)
	case k == reflect.Bool && from.IsBool():
		v.SetBool(from.Bool())
	case (k == reflect.Int || k == reflect.Int64) && from.Type == gjson.Number:
		v.SetInt(from.Int())
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.setValue(v.Elem(), from)
	case k == reflect.Slice && from.IsArray():
		return d.setList(v, from)
	case k == reflect.Map && from.IsObject():
		return d.setMap(v, from)
	case k == reflect.Struct && from.IsObject():
		return d.setStruct(v, from)
	default:
		return fmt.Errorf("%w: %s for %s", errShape, from.Type, v.Type())
	}
	return nil
}

func (d decoder) setList(v reflect.Value, from gjson.Result) (err error) {
	from.ForEach(func(_, item gjson.Result) bool {
		x := reflect.New(v.Type().Elem()).Elem()
		if err = d.setValue(x, item); err == nil {
			v.Set(reflect.Append(v, x))
		}
		return err == nil
	})
	return err
}

func (d decoder) setMap(v reflect.Value, from gjson.Result) (err error) {
	v.Set(reflect.MakeMap(v.Type()))
	from.ForEach(func(k, item gjson.Result) bool {
		x := reflect.New(v.Type().Elem()).Elem()
		if err = d.setValue(x, item); err == nil {
			v.SetMapIndex(reflect.ValueOf(k.Str), x)
		}
		return err == nil
	})
	return err
}

func (d decoder) setStruct(v reflect.Value, from gjson.Result) (err error) {
	names := d.memberNames(v.Type())
	from.ForEach(func(k, item gjson.Result) bool {
		if i := slices.Index(names, k.Str); i >= 0 {
			err = d.setValue(v.Field(i), item)
		}
		return err == nil
	})
	return err
}

// memberNames are the members that the fields of a type are written as; empty for one
// that is not.
func (d decoder) memberNames(t reflect.Type) []string {
	names, ok := d[t]
	if !ok {
		for i := range t.NumField() {
			name, _ := readTag(t.Field(i).Tag)
			if name == "-" {
				name = "\x00" // no member can be called so
			}
			names = append(names, name)
		}
		d[t] = names
	}
	return names
}
