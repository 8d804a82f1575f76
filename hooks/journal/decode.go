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
func Decode(line []byte, to any) error { return new(Codec).Decode(line, to) }

// Decode reads a JSON object into what a pointer points to.
func (c *Codec) Decode(line []byte, to any) error {
	if !gjson.ValidBytes(line) {
		return errors.New("not JSON")
	}
	return c.setValue(reflect.ValueOf(to).Elem(), gjson.ParseBytes(line))
}

func (c *Codec) setValue(v reflect.Value, from gjson.Result) error {
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
		return c.setValue(v.Elem(), from)
	case k == reflect.Slice && from.IsArray():
		return c.setList(v, from)
	case k == reflect.Map && from.IsObject():
		return c.setMap(v, from)
	case k == reflect.Struct && from.IsObject():
		return c.setStruct(v, from)
	default:
		return fmt.Errorf("%w: %s for %s", errShape, from.Type, v.Type())
	}
	return nil
}

func (c *Codec) setList(v reflect.Value, from gjson.Result) (err error) {
	from.ForEach(func(_, item gjson.Result) bool {
		x := reflect.New(v.Type().Elem()).Elem()
		if err = c.setValue(x, item); err == nil {
			v.Set(reflect.Append(v, x))
		}
		return err == nil
	})
	return err
}

func (c *Codec) setMap(v reflect.Value, from gjson.Result) (err error) {
	v.Set(reflect.MakeMap(v.Type()))
	from.ForEach(func(k, item gjson.Result) bool {
		x := reflect.New(v.Type().Elem()).Elem()
		if err = c.setValue(x, item); err == nil {
			v.SetMapIndex(reflect.ValueOf(k.Str), x)
		}
		return err == nil
	})
	return err
}

func (c *Codec) setStruct(v reflect.Value, from gjson.Result) (err error) {
	members := c.membersOf(v.Type())
	from.ForEach(func(k, item gjson.Result) bool {
		i := slices.IndexFunc(members, func(m member) bool { return m.name == k.Str })
		if i >= 0 && k.Str != "" {
			err = c.setValue(v.Field(i), item)
		}
		return err == nil
	})
	return err
}
