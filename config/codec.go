package config

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// The codec turns a value into bytes and back, by its type alone: without names and tags.
// A new field of the policy needs no change here, if it is of the kinds that the policy has.
// The codec exists because JSON takes ten times as long to read, in each hook call.

var errCodec = errors.New("damaged")

// appendShape describes a type: the names and types of all its fields.
func appendShape(b []byte, t reflect.Type) []byte {
	b = append(b, byte(t.Kind()))
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			b = appendShape(append(append(b, f.Name...), ':'), f.Type)
		}
		b = append(b, '}')
	case reflect.Slice, reflect.Pointer:
		b = appendShape(b, t.Elem())
	}
	return b
}

// encodeValue appends a value. The length of a slice is written plus one: 0 is nil.
func encodeValue(b []byte, v reflect.Value) (_ []byte, err error) {
	switch v.Kind() {
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...), nil
	case reflect.Bool:
		return append(b, bit(v.Bool())), nil
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(b, v.Int()), nil
	case reflect.Slice:
		if v.IsNil() {
			return append(b, 0), nil
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		for i := 0; i < v.Len() && err == nil; i++ {
			b, err = encodeValue(b, v.Index(i))
		}
		return b, err
	case reflect.Pointer:
		if b = append(b, bit(!v.IsNil())); v.IsNil() {
			return b, nil
		}
		return encodeValue(b, v.Elem())
	case reflect.Struct:
		return encodeStruct(b, v)
	}
	return nil, fmt.Errorf("encode a %s: the codec does not know this type", v.Type())
}

// encodeStruct writes the fields that are not zero. A byte before each eight
// fields says which these are: most fields of most rules are zero.
func encodeStruct(b []byte, v reflect.Value) ([]byte, error) {
	for from := 0; from < v.NumField(); from += 8 {
		mask := len(b)
		b = append(b, 0)
		for i := from; i < min(from+8, v.NumField()); i++ {
			with, err := encodeValue(b, v.Field(i)) // also a zero, so that a kind that is not known is found
			if err != nil {
				return nil, err
			}
			if !v.Field(i).IsZero() {
				b = with
				b[mask] |= 1 << (i - from)
			}
		}
	}
	return b, nil
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A decoder reads what encodeValue wrote. It trusts no length: what it allocates is in
// proportion to what is there.
type decoder struct {
	bytes string   // texts are parts of it
	texts []string // the array of the next lists of texts
	err   error
}

// decodeValue fills a value, which must be settable, from all of the bytes.
func decodeValue(text string, v reflect.Value) error {
	d := decoder{bytes: text}
	d.readValue(v)
	if d.err == nil && d.bytes != "" {
		d.err = errCodec
	}
	return d.err
}

func (d *decoder) readValue(v reflect.Value) {
	if !v.CanSet() { // bytes of another type
		d.err = errCodec
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.takeBytes(d.readNumber()))
	case reflect.Bool:
		v.SetBool(d.takeBytes(1) == "\x01")
	case reflect.Int, reflect.Int64:
		n := d.readNumber()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Slice:
		d.readSlice(v)
	case reflect.Pointer:
		if d.takeBytes(1) == "\x01" {
			v.Set(reflect.New(v.Type().Elem()))
			d.readValue(v.Elem())
		}
	case reflect.Struct:
		for from := 0; from < v.NumField() && d.err == nil; from += 8 {
			mask := d.takeBytes(1)
			if mask == "" {
				return
			}
			for m := mask[0]; m != 0 && d.err == nil; m &= m - 1 {
				if i := from + bits.TrailingZeros8(m); i < v.NumField() {
					d.readValue(v.Field(i))
				} else {
					d.err = errCodec
				}
			}
		}
	default:
		d.err = errCodec
	}
}

// readSlice grows a long slice as elements come, so that a wrong length costs little. Most elements of long lists
// take more than 16 bytes: such a list is made once, since new memory is what costs most in a call.
func (d *decoder) readSlice(v reflect.Value) {
	length := d.readNumber()
	if length > uint64(len(d.bytes))+1 { // an element takes at least one byte
		d.err = errCodec
	}
	if d.err != nil || length == 0 {
		return
	}
	n := int(length) - 1
	if v.Type() == reflect.TypeFor[[]string]() { // most of them: reflect takes longer
		if d.texts == nil || n > cap(d.texts)-len(d.texts) { // many short lists share one array
			d.texts = make([]string, 0, max(n, 128))
		}
		from := len(d.texts)
		for range n {
			d.texts = append(d.texts, d.takeBytes(d.readNumber()))
		}
		*(*[]string)(unsafe.Pointer(v.UnsafeAddr())) = d.texts[from:len(d.texts):len(d.texts)]
		return
	}
	first := min(n, max(64, len(d.bytes)/16))
	v.Set(reflect.MakeSlice(v.Type(), first, first))
	for i := 0; i < n && d.err == nil; i++ {
		if i == v.Len() {
			v.Grow(min(i, n-i))
			v.SetLen(i + min(i, n-i))
		}
		d.readValue(v.Index(i))
	}
}

func (d *decoder) readNumber() (n uint64) {
	for i := 0; i < len(d.bytes) && i < binary.MaxVarintLen64; i++ {
		c := d.bytes[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			d.bytes = d.bytes[i+1:]
			return n
		}
	}
	d.err = errCodec
	return 0
}

func (d *decoder) takeBytes(n uint64) string {
	if d.err != nil || n > uint64(len(d.bytes)) {
		d.err = errCodec
		return ""
	}
	text := d.bytes[:n]
	d.bytes = d.bytes[n:]
	return text
}
