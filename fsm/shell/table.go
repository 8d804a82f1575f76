package shell

import (
	"strings"
)

// form is a row of the table of commands: one command, or one of its subcommands, and what its arguments mean.
//
// Lists of options hold letters or long names without dashes, separated by
// blanks. A subcommand without writes has those of its command.
type form struct {
	words string // its names: "rm|unlink"; in forms, the words behind the command: "compose exec"
	forms []form // its subcommands that need rows of their own

	others bool // a subcommand without a row is known too, where alsoIn says that it only looks

	takes string // options that take a value; "!list" takes none, though a longer name begins so

	reads  string // options whose value is a file that it reads
	writes string // options whose value is a file that it writes, also as whole words: -out FILE, -o=FILE

	operands string // the roles of its operands, see role
	missing  string // the path that it acts on without operands; blank: any
	unnamed  bool   // it writes files that the line does not name

	when   string // it writes only with one of these options, and its operands are then
	then   string // the roles of its operands with one of these options
	unless string // with one of these options it changes nothing; "-check": a word with one dash; "-- ": or behind --

	knows        string // further options that it is known with: with another one it is unknown
	opaque       string // options by which it runs what the line does not say
	opaqueAlways bool   // it does so without any

	shows   showing // whether it only shows something
	changes string  // options with which a showing command changes something
	lists   string  // options with which its operands only select what it lists
	upTo    int     // as many operands may a command have that lists without them

	in         Group                // the groups that it is in, unless it only shows something; 0: those of its command
	remoteBy   string               // operands with which it is in Remote too: globs; and options, with dashes
	destroysBy string               // those with which it is in Destroys
	alsoIn     func(*program) Group // the groups that only code can say
	global     func(*program) Group // those that the options in front of any subcommand say
	dry        string               // with one of these options nothing leaves, and nothing is destroyed
	tests      string               // operands with which it only tests or checks: globs
	script     bool                 // its first operand is a script of the project, the rest is for that
	evaluates  bool                 // to show something, it runs the project's build files

	wraps   style // how it is given a command to run
	before  int   // operands before that command
	fetches bool  // it may fetch the program that it runs
	where   place // where the command's files are

	// What only code can say of it.
	effect    func(*program)      // adds calls on files
	interpret func(*program)      // adds its call, and runs the code that it is given
	hides     func(*program) bool // reports whether it runs what its words do not say
}

// The roles of operands are letters, one for each operand; a star repeats the letter before it until the letters
// behind the star are reached. "-w*" is an operand that is no file, then any number of files that are written; "-*r"
// reads the last operand.
type role = byte

const (
	noFile     role = '-'
	readsIt    role = 'r'
	searchesIt role = 's'
	writesIt   role = 'w'
	outputsIt  role = 'o' // written, unless it is "-"
	deletesIt  role = 'd'
	replacesIt role = 'z' // read and deleted, and another is written, which the line does not name
)

// showing says whether a command only shows something: it changes nothing and runs
// nothing that is not known. An option by which it writes or runs code excludes that.
type showing uint8

const (
	mayChange   showing = iota
	showsAlways         // whatever its options are: a test has tried all
	showsOnly           // unless an option of `changes` is given: a test has tried the others
	listsOnly           // showsOnly, without operands or with an option of `lists`
	showsKnown          // showsOnly, with options that the row names
	listsKnown          // listsOnly, with options that the row names
)

// style is how a wrapper is given what it runs.
type style uint8

const (
	noWrapper style = iota
	argv            // the rest of the words
	assigns         // NAME=VALUE words, then the rest
	joined          // the rest, joined, is code for a shell
	byOption        // -c CODE, --command CODE, --run CODE
	eitherWay       // -c CODE, or the rest
	afterC          // -c WORDS, --command WORDS
	dashed          // the words behind --
	fromList        // xargs: the rest, with unknown arguments behind
)

// table is what the package knows about commands. To add a command, add a row to a file and a line to
// testdata/corpus.txt. Of a command without a row the defaults hold: see addDefaults.
var table = [...][]form{
	showRows, filesRows, gitRows, packagesRows, buildRows, machinesRows, wrapperRows, interpreterRows,
}

// findRow returns the row of a command, or nil. To look through all of them takes 3 µs, to index them in each process a
// tenth of a millisecond.
func findRow(name string) *form {
	for _, rows := range table {
		for i := range rows {
			if hasWord(rows[i].words, name) {
				return &rows[i]
			}
		}
	}
	return nil
}

// match is a command with the row that describes it.
type match struct {
	*form
	whole command // the command
	top   *form   // the row of the command itself
	label string  // the words that the row names: "docker exec"
	rest  command // the last of these words, and what stands behind it

	lacksForm bool // the row has forms, and none of them is the command's
}

// findForm returns the most specific row of a command; its form is nil if the table does not have the command.
func findForm(c command, findRow func(string) *form) match {
	if tool, sub, _ := strings.Cut(c.name, "-"); tool == "git" && sub != "" && findRow(c.name) == nil ||
		sub == "compose" && hasWord("docker podman", tool) {
		words := append([]field{knownField(tool), knownField(sub)}, c.args()...)
		m := findForm(command{name: tool, words: words}, findRow)
		m.whole = c
		return m
	}
	row := findRow(c.name)
	if row == nil {
		// An interpreter may have its version behind its name.
		plain := strings.TrimRight(c.name, "0123456789.")
		if row = findRow(plain); row == nil || row.interpret == nil || row.wraps != noWrapper {
			return match{whole: c, rest: c}
		}
	}
	if len(row.forms) > 0 {
		if m, ok := row.findSub(c); ok {
			return m
		}
	}
	return match{form: row, whole: c, top: row, label: c.name, rest: c, lacksForm: len(row.forms) > 0}
}

// findSub returns the row of the subcommand that c uses.
func (row *form) findSub(c command) (match, bool) {
	m := matcher{name: c.name, words: fieldWords(c.words), takes: row.takes}
	sub, full := "", ""
	if m.takes != "" {
		_, rest := row.skipOptions(c)
		if len(rest) == 0 || rest[0].is("") {
			return match{}, false
		}
		sub = rest[0].word()
		full = fullSubcommand(c.name, sub)
	}
	for i := range row.forms {
		f := &row.forms[i]
		if m.takes != "" && !strings.Contains(f.words, sub) && !strings.Contains(f.words, full) {
			continue
		}
		for alternative := range strings.SplitSeq(f.words, "|") {
			first, _, _ := strings.Cut(alternative, " ")
			if m.takes != "" && first != sub && first != full {
				continue
			}
			if at := m.matchRest(strings.Fields(alternative), 1); at >= 0 {
				rest := command{name: first, words: c.words[at-1:]}
				return match{form: f, whole: c, top: row, label: c.name + " " + alternative, rest: rest}, true
			}
		}
	}
	return match{}, false
}

// fullSubcommand is the full name of a subcommand that is written shorter.
func fullSubcommand(name, sub string) string {
	short := ""
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		short = " run-script=run rum=run urn=run t=test tst=test i=install in=install ins=install inst=install " +
			"insta=install instal=install isnt=install isnta=install isntal=install isntall=install add=install " +
			"un=uninstall rm=uninstall r=uninstall remove=uninstall unlink=uninstall x=exec "
	case "cargo":
		short = " b=build c=check t=test r=run d=doc "
	}
	if _, rest, ok := strings.Cut(short, " "+sub+"="); ok {
		sub, _, _ = strings.Cut(rest, " ")
	} else if name == "npm" && len(sub) > 1 { // takes the beginning of a word for it
		for full := range strings.SplitSeq("publish unpublish deprecate undeprecate dist-tag owner access team org "+
			"token hook star unstar test exec install", " ") {
			if strings.HasPrefix(full, sub) {
				return full
			}
		}
	}
	return sub
}
