package export

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/user"
	"strconv"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A person is whose session it is: the system's account to which its folder belongs. The hooks are not told the
// client's account.
type person struct{ name, hash string }

// findPerson finds the owner of a session's folder. With a key only a hash of the name is known, the same on all
// machines with this key; without the key names cannot be guessed.
func findPerson(dir, key string) person {
	info, err := system.Stat(dir)
	if err != nil {
		return person{}
	}
	var name string
	var account *user.User
	if info.Owner != os.Geteuid() {
		name = strconv.Itoa(info.Owner) // of an owner that has no name here
		account, err = user.LookupId(name)
	} else {
		account, err = user.Current()
	}
	if err == nil {
		name = account.Username
	}
	if key == "" || name == "" {
		return person{name: name}
	}
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(name))
	return person{hash: hex.EncodeToString(h.Sum(nil)[:16])}
}
