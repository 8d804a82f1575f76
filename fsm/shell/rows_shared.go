package shell

// Options that rows share.
const (
	npmGlobals = "C w F prefix workspace userconfig registry loglevel cache dir filter location tag otp access"
	// testValues and testOutputs are options of programs that run tests.
	testValues  = "k n p c o r t W O !cov"
	testOutputs = "junitxml junit-xml resultlog report-log outputfile outputFile output-file " +
		"json-report-file coverage-directory coverageDirectory log-junit coverage-html coverage-clover"
	// testTargets are the targets and scripts that test or check a project, by their usual names.
	testTargets  = "test tests check lint vet typecheck type-check verify test:* lint:* check:* *:test *:lint *:check"
	testTools    = testTargets + " eslint *tsc prettier biome stylelint"
	gradleValues = "P D p b I c g project-dir build-file init-script settings-file include-build gradle-user-home " +
		"configuration dependency tests group task exclude-task console"
	mavenOutputs  = "l log-file DoutputFile Doutput DoutputDirectory"
	columnOptions = "delimiter fields bytes characters output-delimiter width key field-separator output " +
		"buffer-size temporary-directory parallel table table-columns separator wrap from-code to-code"
	databaseValues  = "h host S server U u user uri url port d dbname c command e eval execute Q f file db"
	searchOptions   = "regexp file max-count after-context before-context context "
	commonGlobals   = "profile region config project model" // of tools that share little else
	formatOptions   = "config rules ext line-length config-file"
	gitMergeOptions = "s m X x F onto exec strategy strategy-option message file"
	gitDrivers      = "ext-diff textconv output" // they run what the settings name, or write
	npmQueries      = "ls|list|la|ll|view|info|show|outdated|root|bin|prefix|whoami|ping|explain|why|fund|search|" +
		"config get|config list|pkg get|help|help-search|docs|licenses list|audit signatures"
	// publishTargets are the targets and scripts that send a project away, by their usual names.
	publishTargets = "deploy* publish* push* upload* release release:* apply *:deploy* *:publish* *:push* *:release " +
		"*-deploy *-publish *-push *+publish *Publish *Push *Upload *Release"
	localTargets = "*ToMavenLocal" // of these names, what stays on this machine
	// dropTargets are those that drop a database.
	dropTargets = "db:drop* db:reset* db:purge* db:wipe* db-drop* db-reset* db_drop* db_reset*"
	// sendingVerbs say of scripts, and of programs that nothing is known of, that something leaves this machine.
	sendingVerbs = "push publish publish-* upload upload-* deploy deploy-* deploy_* *-deploy *_deploy submit send " +
		"release"
	publishVerbs = "publish upload push copy cp delete unpublish sync tag append create-publisher delete-publisher"
	npmRemote    = "unpublish|deprecate|undeprecate|dist-tag add|dist-tag rm|owner add|owner rm|access|team|star|" +
		"unstar|hook|org|token|trust"
	// commonLooks are options that show more or less, whatever the command; clientLooks those of clients of
	// servers, to which -o is a format.
	commonLooks = "a l n q v A h help version verbose quiet all json no-color color colour depth long short no-pager " +
		"tree installed local outdated format targets no-deps"
	clientLooks = "o w f i L c t s g p x r R output watch follow tail since until limit jq template state format " +
		"filter no-trunc previous container timestamps size author label selector namespace all-namespaces wide " +
		"show-labels sort-by field-selector no-headers context raw recursive revision since-time services hash " +
		"images max page author assignee search web log log-failed job exit-status interval namespaces client " +
		"minify timeout namespaced k workflow branch event user status milestone deps m u production prod versions"
	tarLetters = "f C b I X T F g H K L N V"
	// checkOnly are the options by which a formatter only reports.
	checkOnly = "check -check diff dry-run verify-no-changes check-formatted list-different help"
)

// noOutputs stands for no option: what looks like one names a format.
const noOutputs = "-"
