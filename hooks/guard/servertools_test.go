package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// serverTool is a call of a server's tool, from its name and inputs: path=a cmd=b.
func serverTool(name string, inputs ...string) fsm.Tool {
	t := fsm.Tool{Name: name}
	for _, in := range inputs {
		key, text, _ := strings.Cut(in, "=")
		t.Args = append(t.Args, fsm.Arg{Name: key, Text: text})
		if key == "path" || key == "file_path" {
			t.Paths = append(t.Paths, text)
		}
	}
	return t
}

// describeParts writes parts as people read them, without the tool's own.
func describeParts(parts []fsm.Part, own string) string {
	var out []string
	for _, p := range parts {
		text := p.Tool + "(" + strings.TrimPrefix(p.Path, "/proj/") + strings.Join(p.Words, " ") + ")"
		if p.Code {
			text += "?"
		}
		if p.Tool != own {
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// TestOwnParts: rules know a server's tool by its name, with each file that it names, and once.
func TestOwnParts(t *testing.T) {
	many := make([]string, maxServerParts+1)
	for i := range many {
		many[i] = fmt.Sprint("paths=", i)
	}
	for _, c := range []struct {
		tool fsm.Tool
		want string
	}{
		{serverTool("mcp__filesystem__write_file", "path=a.go", "content=x"), "a.go"},
		{serverTool("mcp__filesystem__move_file", "source=a", "destination=b"), "a b"},
		{serverTool("mcp__filesystem__move_file", "source=a", "destination=a"), "a"},
		{serverTool("mcp__notes__add", "text=x"), ""},
		{serverTool("mcp__filesystem__read_multiple_files", many...), "200 files"},
	} {
		var got []string
		for _, p := range (Guards{Root: "/proj"}).Parts(c.tool, "/proj") {
			if p.Tool == c.tool.Name {
				got = append(got, strings.TrimPrefix(p.Path, "/proj/"))
			}
		}
		if len(got) > 3 {
			got = []string{fmt.Sprint(len(got), " files")}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: its own parts name %q, want %q", c.tool.Name, got, c.want)
		}
	}
}

// TestServerTools: what the tools of common servers do, by their names and inputs.
func TestServerTools(t *testing.T) {
	tools := []fsm.ToolUse{
		{Tool: "mcp__own__save", Writes: []string{"where"}, Reads: []string{"from", "all.path"}},
		{Tool: "mcp__own__go", Runs: []string{"what"}, Deletes: []string{"gone"}},
		{Tool: "mcp__notes__*"},
	}
	for _, c := range []struct {
		tool string
		want string
		in   []string
	}{
		{"mcp__filesystem__write_file", "Write(a.go)", []string{"path=a.go", "content=x"}},
		{"mcp__filesystem__edit_file", "Write(a.go)", []string{"path=a.go", "edits.oldText=/etc/x", "edits.newText=y"}},
		{"mcp__filesystem__read_text_file", "Read(a.go)", []string{"path=a.go"}},
		{"mcp__filesystem__read_multiple_files", "Read(a) Read(b)", []string{"paths=a", "paths=b"}},
		{"mcp__filesystem__move_file", "Delete(a) Write(b)", []string{"source=a", "destination=b"}},
		{"mcp__filesystem__create_directory", "Write(d)", []string{"path=d"}},
		{"mcp__filesystem__list_directory", "LS(d)", []string{"path=d"}},
		{"mcp__filesystem__directory_tree", "LS(d)", []string{"path=d"}},
		{"mcp__filesystem__get_file_info", "LS(a)", []string{"path=a"}},
		{"mcp__filesystem__search_files", "Grep(d)", []string{"path=d", "pattern=x"}},
		{"mcp__fs__deleteFile", "Delete(a)", []string{"filePath=a"}},
		{"mcp__fs__copy-file", "Read(a) Write(b)", []string{"src=a", "dest=b"}},
		{"mcp__fs__writeFile", "Write(/xx/a)", []string{"uri=file:///xx/a"}},
		{"mcp__desktop-commander__edit_block", "Write(a)", []string{"file_path=a", "old_string=x"}},
		{"mcp__desktop-commander__start_process", "Bash(git push)", []string{"command=git push"}},
		{"mcp__desktop-commander__interact_with_process", "Bash()?", []string{"input=rm -rf x"}},
		{"mcp__shell__execute", "Bash(git push)", []string{"cmd=git push"}},
		{"mcp__shell__run", "Bash(git push origin)", []string{"command=git", "args=push", "args=origin"}},
		{"mcp__shell__run_command", "Bash(git push)", []string{"command=git", "command=push"}},
		{"mcp__shell__exec", "Bash(echo $(x))", []string{"args=echo", "args=$(x)"}},
		{"mcp__shell__run_script", "Bash()? Bash(git push)", []string{"script=git push"}},
		{"mcp__python__execute_code", "Bash()?", []string{"code=open('x','w')"}},
		{"mcp__ide__executeCode", "Bash()?", []string{"code=1"}},
		{"mcp__text-editor__edit_text_file_contents", "Write(a) Write(b)", []string{"files.path=a", "files.path=b"}},
		{"mcp__editor__str_replace_editor", "Write(a)", []string{"command=create", "path=a"}},
		{"mcp__editor__str_replace_based_edit_tool", "Read(a)", []string{"command=view", "path=a"}},
		{"mcp__serena__replace_symbol_body", "Write(a)", []string{"relative_path=a", "name_path=f"}},
		{"mcp__serena__create_text_file", "Write(a)", []string{"relative_path=a"}},
		{"mcp__serena__find_symbol", "Glob(a)", []string{"relative_path=a", "name_path_pattern=f"}},
		{"mcp__serena__execute_shell_command", "Bash(make)", []string{"command=make"}},
		{"mcp__jetbrains__replace_text_in_file", "Write(a)", []string{"pathInProject=a"}},
		{"mcp__jetbrains__execute_terminal_command", "Bash(make)", []string{"command=make"}},
		{"mcp__git__git_commit", "Bash(git commit)", []string{"repo_path=/proj", "message=x"}},
		{"mcp__git__git_status", "Bash(git status)", []string{"repo_path=/proj"}},
		{"mcp__git__git_diff_unstaged", "Bash(git diff)", []string{"repo_path=/proj"}},
		{"mcp__git__git_create_branch", "Bash(git branch x)", []string{"branch_name=b"}},
		{"mcp__git__push", "Bash(git push)", []string{"remote=o"}},
		{"mcp__x__git_push", "Bash(git push)", nil},
		{"mcp__github__push_files", "Bash(git push)", []string{"owner=o", "files.path=a"}},
		{"mcp__github__create_or_update_file", "Bash(git push)", []string{"path=a", "content=x"}},
		{"mcp__github__get_file_contents", "", []string{"path=a"}},
		{"mcp__github__create_issue", "", []string{"title=write a file", "body=x"}},
		{"mcp__playwright__browser_file_upload", "Read(a) Read(b)", []string{"paths=a", "paths=b"}},
		{"mcp__playwright__browser_evaluate", "", []string{"function=() => 1"}},
		{"mcp__playwright__browser_run_code", "Bash()?", []string{"code=x"}},
		{"mcp__gdrive__upload_file", "Read(.env)", []string{"path=.env"}},
		{"mcp__slack__post_message", "", []string{"text=run git push", "channel=x"}},
		{"mcp__notion__create_page", "", []string{"path=a/b"}},
		{"mcp__x__frobnicate", "", []string{"path=a"}},
		{"mcp__tmux__send_keys", "Bash(git push)", []string{"keys=git push", "keys=Enter"}},
		{"mcp__iterm__write_to_terminal", "Bash(make x) Write(configs/a)", []string{"text=make x >configs/a"}},
		{"mcp__tmux__send_keys", "", []string{"keys=C-c", "text=y"}},
		{"mcp__computer__type", "", []string{"text=Dear Ann, push it"}},
		{"mcp__db__execute_sql", "Bash(psql -c drop table x)?", []string{"query=drop table x"}},
		{"NewWriteTool", "Write(a)", []string{"file_path=a"}},
		{"mcp__own__save", "Write(a) Read(b) Read(c)", []string{"where=a", "from=b", "all.path=c", "path=d"}},
		{"mcp__own__go", "Delete(b) Bash(git push)", []string{"what=git push", "gone=b", "command=x"}},
		{"mcp__notes__write_file", "", []string{"path=a"}},
	} {
		g := Guards{Root: "/proj", Home: "/home/me", Tools: [][]fsm.ToolUse{tools}}
		parts := g.Parts(serverTool(c.tool, c.in...), "/proj")
		if got := describeParts(parts, c.tool); got != c.want || parts[0].Tool != c.tool {
			t.Errorf("%s %q: %q, expected %q (%+v)", c.tool, c.in, got, c.want, parts[0])
		}
	}
}

// TestServerToolsAndOurFiles: no input of a server's tool leads to what is ours, whatever
// its name. The config may be read by a tool that is known to read.
func TestServerToolsAndOurFiles(t *testing.T) {
	const state = "HOME/.local/state/pipeline/p/sessions/s1/journal.jsonl"
	grounds(t, func(t *testing.T, g Guards) {
		for _, c := range []struct{ tool, input, want string }{
			{"mcp__filesystem__write_file", "path=configs/pipeline.yaml", "config"},
			{"mcp__filesystem__write_file", "path=file://HOME/.claude/settings.json", "settings"},
			{"mcp__filesystem__move_file", "source=configs", "config"},
			{"mcp__filesystem__move_file", "destination=configs/pipeline.yaml", "config"},
			{"mcp__filesystem__delete_file", "path=.git/../configs", "config"},
			{"mcp__filesystem__read_file", "path=configs/pipeline.yaml", ""},
			{"mcp__filesystem__read_file", "path=" + state, "state"},
			{"mcp__filesystem__list_directory", "path=HOME/.local/state/pipeline", "state"},
			{"mcp__x__frobnicate", "path=configs/pipeline.yaml", "config"},
			{"mcp__x__frobnicate", "anything=HOME/.claude/settings.json", "settings"},
			{"mcp__x__frobnicate", "anything=./same.yaml", "config"},
			{"mcp__x__frobnicate", "deep.er=" + state, "state"},
			{"mcp__x__frobnicate", "glob=HOME/.local/state/p*/p/sessions", "state"},
			{"mcp__x__frobnicate", "glob=HOME/.local/share/p*/p", ""},
			{"mcp__x__frobnicate", "glob=*", ""},
			{"mcp__filesystem__write_file", "path=file://ROOT/configs/pipeline%2eyaml", "config"},
			{"mcp__filesystem__write_file", "dir=configs & name=pipeline.yaml", "config"},
			{"mcp__filesystem__write_file", "name=pipeline.yaml & folder=ROOT/configs", "config"},
			{"mcp__filesystem__write_file", "dir=docs & name=pipeline.md", ""},
			{"mcp__filesystem__read_file", "dir=configs & name=pipeline.yaml", ""},
			{"mcp__tmux__send_keys", "keys=pipeline mode off", "pipeline mode"},
			{"mcp__x__frobnicate", "text=the config is configs/pipeline.yaml", ""},
			{"mcp__x__frobnicate", "text=config", ""},
			{"mcp__notes__save", "where=configs/pipeline.yaml", ""}, // as the config says
			{"mcp__notes__save", "where=" + state, "state"},
			{"mcp__notes__keep", "what=pipeline.yaml", "config"},
			{"mcp__notes__keep", "what=notes.yaml", ""},
			{"mcp__shell__run", "cmd=echo x > configs/pipeline.yaml", "config"},
			{"mcp__shell__run", "cmd=pipeline reset", "pipeline reset"},
			{"mcp__python__execute_code", "code=open('" + state + "','w')", "state"},
			{"NewTool", "path=configs/pipeline.yaml", "config"},
		} {
			if g.lacksLinks(fsm.Tool{Command: c.input}) {
				continue
			}
			g.Tools = [][]fsm.ToolUse{{{Tool: "mcp__notes__save", Reads: []string{"where"}},
				{Tool: "mcp__notes__keep", Writes: []string{"what"}}}}
			input := strings.NewReplacer("HOME", g.Home, "ROOT", g.Root).Replace(c.input)
			tool := serverTool(c.tool, strings.Split(input, " & ")...)
			if got := g.guards(tool, ""); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%s %s: guarded %q, expected %q", c.tool, c.input, got, c.want)
			}
		}
	})
}

// TestManyFilesOfOneCall: of more files than rules are asked about, one stands for the
// rest, and each is compared with what is ours.
func TestManyFilesOfOneCall(t *testing.T) {
	g := ground(t, t.TempDir())
	tool := fsm.Tool{Name: "mcp__x__write_files"}
	for range maxServerParts + 1 {
		tool.Args = append(tool.Args, fsm.Arg{Name: "paths", Text: "src/a"})
	}
	parts := g.Parts(tool, g.Root)
	if last := parts[len(parts)-1]; last.Path != shell.Unknown || last.Tool != "Write" {
		t.Errorf("the last part is %+v", last)
	}
	tool.Args = append(tool.Args, fsm.Arg{Name: "paths", Text: "configs/pipeline.yaml"})
	g.judged(t, tool, "", "config")
	tool = fsm.Tool{Name: "mcp__x__y", Args: make([]fsm.Arg, maxServerTexts)}
	g.judged(t, tool, "", "")
	tool.Args = append(tool.Args, fsm.Arg{})
	g.judged(t, tool, "", "too many")
}

// TestLockedToolsCountToo: what a project says of a tool does not take away what the organisation, or the table, says.
func TestLockedToolsCountToo(t *testing.T) {
	p := &fsm.Policy{Tools: []fsm.ToolUse{{Tool: "mcp__fs__write_file", Reads: []string{"path"}}},
		Ceiling: fsm.Ceiling{Main: fsm.Rules{List: []fsm.Rule{{Name: "locked/x"}}}}}
	tool := serverTool("mcp__fs__write_file", "path=a")
	if got := describeParts((Guards{Root: "/proj", Tools: p.ToolSets()}).Parts(tool, "/proj"),
		tool.Name); got != "Read(a) Write(a)" {
		t.Errorf("locked: %s", got)
	}
	p.Ceiling = fsm.Ceiling{}
	if got := describeParts((Guards{Root: "/proj", Tools: p.ToolSets()}).Parts(tool, "/proj"),
		tool.Name); got != "Read(a)" {
		t.Errorf("not locked: %s", got)
	}
}

// TestServerToolsThatLeave: what a server's tool does elsewhere is in the groups of commands that
// leave the machine or destroy; what it only shows is in none.
func TestServerToolsThatLeave(t *testing.T) {
	for want, tools := range map[string]string{
		"@remote": "github__merge_pull_request github__create_issue github__issue_write github__push_files " +
			"slack__slack_post_message" +
			" slack__conversations_add_message linear__create_comment notion__notion-create-pages gmail__send_email" +
			" vercel__deploy_to_vercel netlify__netlify-deploy-services stripe__create_refund kubernetes__pods_delete" +
			" kubernetes__resources_create_or_update terraform__apply_run trello__archive_list trello__create_list " +
			"own__deploy" +
			" own__publishRelease own__send_report supabase__apply_migration aws__call_aws jira__jira_transition_issue",
		"": "github__get_pull_request github__list_commits github__pull_request_read slack__slack_list_channels " +
			"slack__channels_list" +
			" slack__conversations_history linear__list_issues notion__notion-search notion__notion-fetch " +
			"gitlab__get_merge_request" +
			" kubernetes__pods_list sentry__find_organizations fetch__fetch context7__resolve-library-id " +
			"context7__get-library-docs" +
			" memory__create_entities filesystem__write_file playwright__browser_click tmux__send-keys " +
			"own__merge_cells own__read" +
			" git__git_status figma__get_code",
	} {
		for tool := range strings.FieldsSeq(tools) {
			parts := (Guards{Root: "/proj", Home: "/home/me"}).Parts(serverTool("mcp__"+tool, "x=y"), "/proj")
			var groups []string
			for _, p := range parts {
				groups = append(groups, p.Groups...)
			}
			if got := strings.Join(groups, " "); got != want && (want == "" || !strings.Contains(got, want)) {
				t.Errorf("%s is in %q, want %q", tool, got, want)
			}
		}
	}
	for want, tool := range map[string]fsm.Tool{
		"@remote":           serverTool("mcp__kubernetes__pods_exec", "command=touch", "command=/data"),
		"":                  serverTool("mcp__kubernetes__pods_exec", "command=ls"),
		"@destroys":         serverTool("mcp__own__run", "statements=select 1", "statements=drop table x"),
		"@remote @destroys": serverTool("mcp__neon__run_sql", "sql=drop table x"),
	} {
		var groups []string
		for _, p := range (Guards{Root: "/proj", Home: "/home/me"}).Parts(tool, "/proj") {
			groups = append(groups, p.Groups...)
		}
		if got := strings.Join(groups, " "); got != want {
			t.Errorf("%s %v is in %q, want %q", tool.Name, tool.Args, got, want)
		}
	}
	for sql, want := range map[string]string{"DROP TABLE users": "@destroys", "delete from users": "@destroys",
		"select 1": ""} {
		for _, tool := range []fsm.Tool{serverTool("mcp__postgres__query", "sql="+sql),
			serverTool("mcp__mysql__mysql_query", "sql="+sql),
			serverTool("mcp__neon__run_sql", "params.sql="+sql)} {
			if parts := (Guards{Root: "/proj", Home: "/home/me"}).Parts(tool, "/proj"); want != "" &&
				!slices.Contains(parts[len(parts)-1].Groups, want) ||
				want == "" && len(parts[len(parts)-1].Groups) > 0 {
				t.Errorf("%s %q: %+v", tool.Name, sql, parts)
			}
		}
	}
}
