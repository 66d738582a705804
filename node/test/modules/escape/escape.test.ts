import { afterAll, beforeAll, describe, it } from "vitest"
import * as Effect from "effect/Effect"
import { findConfinement } from "../../../src/modules/sandbox/confinement.ts"
import { patience } from "../../process/patience.ts"
import { BYSTANDER, BYSTANDER_ON_DISK } from "./bystander.ts"
import { ATTACKS } from "./attacks.ts"
import { type ModuleNode, startModuleNode } from "./module-node.ts"
import { trialOf } from "./trial.ts"

/** One of each kind; `pnpm test:modules` tries all. What one module alone may do, sandbox.test.ts and ipc.test.ts try. */
const SHORT = new Set([
  "signals",
  "forks",
  "allocates",
  "fills",
  "asks-all",
  "claims-methods",
  "floods-calls",
  "floods-log",
  "random-bytes",
  "drips",
  "exits-asking",
  "hangs-up",
  "exits-unloading"
])

const confinement = await Effect.runPromise(findConfinement())
const untried = confinement._tag === "None" ? ` (not tried: ${confinement.reason})` : ""

describe.runIf(confinement._tag !== "None")(
  `a hostile module is refused or contained, and a module beside it works on${untried}`,
  () => {
    let node: ModuleNode
    beforeAll(async () => {
      node = await startModuleNode()
      node.put(BYSTANDER_ON_DISK)
      await node.call("loadmodule", BYSTANDER)
    }, patience(120_000))
    afterAll(() => node?.end())

    it.each(ATTACKS.filter(({ name }) => SHORT.has(name)))("which $does", async (module) => {
      await trialOf(node, module)
    }, patience(300_000)) // Each of its waits has a limit of its own, which says what did not come.
  }
)
