/** Which test shows which guarantee at which door; a text where there is none says why. */
const names = "packages/core/test/runner/policy/unknownNames.test.ts"
const runs = "packages/core/test/runner/begin/runOfOneId.test.ts"
const promises = "packages/wield/test/doors.test.ts"
const ofWield = "packages/wield/test/run.test.ts"
const plain = [
  "packages/wield/test/plain.test.ts",
  "a program of plain JavaScript has each guarantee, also in two processes at once"
] as const
const aiSdk = "packages/interop/test/aiSdk.test.ts"
const server = "packages/mcp/test/server.tools.test.ts"
const odd = "packages/mcp/test/client.oddAnswers.test.ts"
const cluster = "packages/cluster/test/laws.test.ts"
const studio = "packages/studio/test"
const pattern = "packages/core/test/json-schema/pattern.test.ts"

export type Cell = readonly [file: string, title: string] | string

export interface Row {
  readonly door: string
  readonly "one outcome": Cell
  readonly "once per approval": Cell
  readonly "names fail closed": Cell
  readonly "nothing blocks": Cell
  readonly "nothing leaks": Cell
  readonly "a second tab": Cell
  readonly "a second process": Cell
}

export const table: ReadonlyArray<Row> = [
  {
    door: "Effect",
    "one outcome": ["packages/core/test", "gives one outcome per call in their order, whatever order they end in"],
    "once per approval": [runs, "is carried out once"],
    "names fail closed": [names, "is refused, with the name that was meant"],
    "nothing blocks": [pattern, "answers at once: %s"],
    "nothing leaks": ["packages/core/test", "a hidden field is dropped in any spelling that case folding takes for it"],
    "a second tab": [runs, "equal calls of two runs, of two turns, and of two ids have requests of their own"],
    "a second process": ["test/kill", "lose and repeat nothing when their process is killed"]
  },
  {
    door: "promises",
    "one outcome": [ofWield, "with everything that is wrong with its arguments"],
    "once per approval": [promises, "carries an approval out once, however often and with whom at once it comes"],
    "names fail closed": [
      ofWield,
      "a name that no tool has is refused in rules and limits, also beside imported tools"
    ],
    "nothing blocks": [pattern, "answers at once: %s"],
    "nothing leaks": [ofWield, "with a failure that is returned or thrown, and with no text of another error"],
    "a second tab": [promises, "refuses another answer than the one that was taken, and takes that one again"],
    "a second process": [ofWield, "a file keeps what was done and what waits, for another process"]
  },
  {
    door: "plain JavaScript",
    "one outcome": plain,
    "once per approval": plain,
    "names fail closed": plain,
    "nothing blocks": plain,
    "nothing leaks": plain,
    "a second tab": plain,
    "a second process": plain
  },
  {
    door: "the AI SDK's loop",
    "one outcome": ["packages/interop/test/hosts.test.ts", "as the guide says"],
    "once per approval": [
      promises,
      "loop, with a new run of the same id for each request, carries an approval out once"
    ],
    "names fail closed": "Rules are given to `wield` or the runner, which check them.",
    "nothing blocks": "Arguments and results go through the runner.",
    "nothing leaks": [aiSdk, "show no text of a thrown error, unless it is said to be a failure"],
    "a second tab": [aiSdk, "does not run a call that no one was asked about, whatever the history says"],
    "a second process": ["packages/interop/test/scenarios", "approved in another process"]
  },
  {
    door: "MCP client",
    "one outcome": [odd, "is answered at once whatever stands in place of a result"],
    "once per approval": [
      "packages/mcp/test/client.http.test.ts",
      "a call whose connection breaks is uncertain, and made once"
    ],
    "names fail closed": [
      names,
      "where tools come and go, the name is logged as an error, and the tool that comes has its rule"
    ],
    "nothing blocks": [odd, "costs no more than what it sends too much of"],
    "nothing leaks": [
      "packages/mcp/test/client.oauth.test.ts",
      "is refreshed without help, in the middle of a connection, and asked for again when that fails"
    ],
    "a second tab": ["packages/mcp/test/client.oauth.test.ts", "is refreshed once for calls at the same time"],
    "a second process": [
      "test/mcp/deferred.test.ts",
      "over stdio asks in two rounds, and each reply comes from another process"
    ]
  },
  {
    door: "MCP server",
    "one outcome": [server, "tells a model what is wrong with its arguments, and a client that a tool is unknown"],
    "once per approval": [server, "runs a call with an idempotency key once"],
    "names fail closed": "Rules are given to the runner, which checks them.",
    "nothing blocks": ["packages/mcp/test/server.http.test.ts", "keeps nothing of a request that it refuses"],
    "nothing leaks": [server, "gives of a crash a reference only"],
    "a second tab": ["packages/mcp/test/server.http.test.ts", "has no more sessions than it may"],
    "a second process": [
      "packages/mcp/test/client.deferred.test.ts",
      "goes on in two rounds, with another server and connection for each"
    ]
  },
  {
    door: "cluster",
    "one outcome": [cluster, "a run that meets a mistake of the program fails, and those after it run"],
    "once per approval": [cluster, "a cancel before an approved call begins leaves the approval to be given again"],
    "names fail closed": [
      cluster,
      "refuses names, times and contexts that nothing could be stored or run with, and says why"
    ],
    "nothing blocks": [cluster, "A process that closes waits for no reader that takes nothing more"],
    "nothing leaks": [
      cluster,
      "the model, and who follows or answers a run, see no hidden value and no text of a crash"
    ],
    "a second tab": [cluster, "pauses for a person, and takes the same answer once"],
    "a second process": [cluster, "a conversation that waits while deploys change its tool is asked again"]
  },
  {
    door: "command",
    "one outcome": ["packages/cli/test", "interrupts a handler by %s"],
    "once per approval": ["packages/cli/test", "waits for approval in the store, and goes on when it is answered"],
    "names fail closed": [
      "packages/cli/test/sources.test.ts",
      "under a name that no tool has ends the command, and no tool runs"
    ],
    "nothing blocks": [
      "packages/cli/test/running.test.ts",
      "is answered: a pattern that backtracks, values nested without end, thousands of parameters"
    ],
    "nothing leaks": [
      "packages/cli/test/processes.test.ts",
      "prints results only on standard output, whatever a tool prints and logs"
    ],
    "a second tab": "A command has none.",
    "a second process": [
      "packages/cli/test/processes.test.ts",
      "carries out once what two processes approve at the same time"
    ]
  },
  {
    door: "studio",
    "one outcome": [`${studio}/api.test.ts`, "gives results of 5 MB and hostile names as they are"],
    "once per approval": [
      `${studio}/api.test.ts`,
      "keeps a call by hand that waits, and answers it once, bound to what was shown"
    ],
    "names fail closed": "The program's own policy, which its runner checks.",
    "nothing blocks": [`${studio}/events.test.ts`, "are not made for readers that read nothing"],
    "nothing leaks": [`${studio}/api.test.ts`, "shows no secret and no hidden value at any endpoint"],
    "a second tab": [studio, "shows in each window what another one answered, and refuses a second answer"],
    "a second process": [studio, "gets each event of another process once, though it was away meanwhile"]
  },
  {
    door: "scripts",
    "one outcome": [
      "packages/scripts/test",
      "are not run where arguments are wrong, and tell the model how they failed"
    ],
    "once per approval": "Calls go through the runner.",
    "names fail closed": ["packages/scripts/test", "no tool here, for visible_tools does not name its file"],
    "nothing blocks": "Their own process, with a time limit: packages/process; the endless scripts are in the soak.",
    "nothing leaks": [
      "packages/scripts/test/executor/secrets.test.ts",
      "no secret leaves a script, in whatever it answers, writes or fails with"
    ],
    "a second tab": "Calls go through the runner.",
    "a second process": "Calls go through the runner."
  }
]
