package config
import ("testing";"os";"time";"fmt";"crypto/sha256";"reflect";"github.com/agent-pipeline/pipeline/fsm";"path/filepath")
func BenchmarkCold(b *testing.B){ dir := os.Getenv("ZDIR"); 
 w := World{Dir: dir, Home: filepath.Join(dir, "home"), Getenv: os.Getenv, Version: "bench"}
 t0:=time.Now()
 p,_,_:=Find(w)
 t1:=time.Now()
 x:=shape(reflect.TypeFor[fsm.Policy]())
 t2:=time.Now()
 overriding(w)
 t3:=time.Now()
 text,_:=readSource(p.Files[0])
 t4:=time.Now()
 s:=sha256.Sum256(text)
 t5:=time.Now()
 keyOf(p,w)
 t6:=time.Now()
 fmt.Println("COLD", t1.Sub(t0), t2.Sub(t1),t3.Sub(t2),t4.Sub(t3),t5.Sub(t4),t6.Sub(t5),x,s[0])
 os.Exit(0)
}
