// The official inspector against the server that ships: both eras, both transports.
//
// usage: inspector.mjs IOS_AGENT
//
// Exit statuses of the inspector: 0 done, 5 the tool failed or there is none, 6 a schema that some
// client does not take.
import { program } from "./fixture.mjs";
import { Home, check, report } from "./home.mjs";

const home = new Home(process.argv[2]);
const { url, token } = await home.http();
const env = [
  ...["-e", `IOS_AGENT_HOME=${home.env.IOS_AGENT_HOME}`],
  ...["-e", "IOS_AGENT_DEVICE=embedded"],
];
const transports = {
  stdio: [home.program, "mcp", "--demo"],
  http: [`${url}?demo=1`, "--transport", "http", "--header", `Authorization: Bearer ${token}`],
};
const GOAL = "open Settings, turn on Airplane Mode";

function inspect(transport, era, args) {
  const with_env = transport === "stdio" ? env : [];
  return program(
    "mcp-inspector",
    ["--cli", ...with_env, ...transports[transport], "--protocol-era", era, "--format", "json", "-q", ...args],
    { env: { ...home.env, HOME: home.env.IOS_AGENT_HOME } },
  );
}

function call(transport, era, tool, args, more = []) {
  const names = ["--tool-name", tool, "--tool-args-json", JSON.stringify(args)];
  return inspect(transport, era, ["--method", "tools/call", ...names, ...more]);
}

for (const transport of Object.keys(transports)) {
  for (const era of ["modern", "legacy"]) {
    const at = `${transport}, ${era}:`;
    const says = (done) => `status ${done.status}\n${done.stdout}\n${done.stderr}`;
    let done = inspect(transport, era, ["--method", "initialize"]);
    check(done.status === 0 && done.stdout.includes("ios-agent"), `${at} initialize`, says(done));
    done = inspect(transport, era, ["--method", "tools/list", "--strict"]);
    const tools = done.status === 0 ? JSON.parse(done.stdout).result?.tools ?? JSON.parse(done.stdout).tools : [];
    check(done.status === 0 && tools.length === 12, `${at} 12 tools, strictly portable`, says(done));
    done = call(transport, era, "open", { app: "com.apple.Preferences" });
    check(done.status === 0 && done.stdout.includes("Airplane Mode") || done.stdout.includes("nothing changed"),
      `${at} open`, says(done));
    done = call(transport, era, "snapshot", { image: true });
    check(done.status === 0 && done.stdout.includes("image/png"), `${at} snapshot with a picture`, says(done));
    done = call(transport, era, "alert", { action: "accept" });
    check(done.status === 5 && done.stdout.includes("NO_ALERT: "), `${at} a refusal is an error of the tool`, says(done));
    done = call(transport, era, "tap", { reff: 1 });
    check(done.status !== 0, `${at} a wrong argument is refused`, says(done));
    done = call(transport, era, "nope", {});
    check(done.status === 5, `${at} an unknown tool is refused`, says(done));
    done = call(transport, era, "run", { goal: GOAL });
    check(done.status === 0 && done.stdout.includes("PASSED in "), `${at} run, to its verdict`, says(done));
  }
}
const load = ["--load", "--load-requests", "50", "--load-concurrency", "8"];
for (const transport of Object.keys(transports)) {
  const done = call(transport, "modern", "wait_for", { until: "settled" }, load);
  check(done.status === 0, `${transport}: 50 calls, 8 at once`, `${done.stdout}${done.stderr}`);
}
home.close();
process.exit(report.failed ? 1 : 0);
