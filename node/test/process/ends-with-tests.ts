import { type ChildProcess, spawn } from "node:child_process"

/**
 * Ends what it was told of once its input ends, which it does with the process of the tests: also where that is killed, alone
 * or with its group, and can do nothing itself.
 */
const WATCH = `trap "" INT TERM HUP
pids=" "
while read -r what pid; do
  case $what in
    started) pids="$pids$pid " ;;
    ended) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -9 "$pid"; done`

/** Takes lines about processes. One serves all test files of this process. */
let tell: ((line: string) => void) | undefined

const startWatch = (): (line: string) => void => {
  const watch = spawn("sh", ["-c", WATCH], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  watch.on("error", () => undefined)
  watch.unref()
  const input = watch.stdin as typeof watch.stdin & { readonly unref: () => void }
  input.on("error", () => undefined)
  input.unref()
  return (line) => void input.write(`${line}\n`)
}

/** Sees to it that a process that a test has started ends with the tests at the latest, however these end. */
export const endsWithTests = <C extends ChildProcess>(child: C): C => {
  const { pid } = child
  if (pid === undefined) return child
  tell ??= startWatch()
  tell(`started ${pid}`)
  child.once("exit", () => tell?.(`ended ${pid}`))
  return child
}
