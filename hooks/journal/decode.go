package journal

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

var errShape = errors.New("not of the form of a record")

// decode reads a line into a record. Members that it does not know are passed over: they are of a newer kind.
func decode(line []byte, r *Record) error {
	if !gjson.ValidBytes(line) {
		return errors.New("not JSON")
	}
	return setValue(reflect.ValueOf(r).Elem(), gjson.ParseBytes(line))
}

func setValue(v reflect.Value, from gjson.Result) error {
	if from.Type == gjson.Null {
		return nil
	}
	if _, ok := v.Interface().(time.Time); ok {
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
		return setValue(v.Elem(), from)
	case k == reflect.Slice && from.IsArray():
		return setList(v, from)
	case k == reflect.Map && from.IsObject():
		return setMap(v, from)
	case k == reflect.Struct && from.IsObject():
		return setStruct(v, from)
	default:
		return fmt.Errorf("%w: %s for %s", errShape, from.Type, v.Type())
	}
	return nil
}

func setList(v reflect.Value, from gjson.Result) (err error) {
	from.ForEach(func(_, item gjson.Result) bool {
		x := reflect.New(v.Type().Elem()).Elem()
		if err = setValue(x, item); err == nil {
			v.Set(reflect.Append(v, x))
		}
		return err == nil
	})
	return err
}

func setMap(v reflect.Value, from gjson.Result) (err error) {
	v.Set(reflect.MakeMap(v.Type()))
	from.ForEach(func(k, item gjson.Result) bool {
		x := reflect.New(v.Type().Elem()).Elem()
		if err = setValue(x, item); err == nil {
			v.SetMapIndex(reflect.ValueOf(k.Str), x)
		}
		return err == nil
	})
	return err
}

func setStruct(v reflect.Value, from gjson.Result) (err error) {
	from.ForEach(func(k, item gjson.Result) bool {
		if f, ok := field(v, k.Str); ok {
			err = setValue(f, item)
		}
		return err == nil
	})
	return err
}

func field(v reflect.Value, name string) (reflect.Value, bool) {
	t := v.Type()
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name && tag != "-" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}
