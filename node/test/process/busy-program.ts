import { spawn } from "node:child_process"
import { endsWithTests } from "./ends-with-tests.ts"

/** A process of tests that has started two others, of which one has ended by itself; it prints the ids of both. */
const ended = endsWithTests(spawn(process.execPath, ["-e", ""], { stdio: "ignore" }))
ended.once("exit", () => {
  const busy = endsWithTests(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }))
  process.stdout.write(`${ended.pid} ${busy.pid}\n`)
})
setInterval(() => undefined, 1_000)
