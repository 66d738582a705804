import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { randomOf } from "../crash/random.ts"
import { type Ending, freePort, type NodeProcess, spawnNode, startNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"

const TOKEN = "first-start-admin"

/** How many moments are tried; with a number of one's own, every point of the first commit instead of one. */
const GIVEN = process.env["LOCKSTEP_START_MOMENTS"]
const MOMENTS = Number(GIVEN ?? 1)

/** Where the first commit, that of the genesis block, can die. */
const ALL_POINTS = ["before-file-sync:1", "before-batch:1", "inside-batch:1", "after-batch:1", "after-commit:1"]

// The same points and moments every time; another seed tries others.
const seed = Number(process.env["LOCKSTEP_START_SEED"] ?? 1)
const random = randomOf(seed)

const POINTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  heed3: GIVEN === undefined ? [random.pick(ALL_POINTS)] : ALL_POINTS,
  leveldb: GIVEN === undefined ? [random.pick(ALL_POINTS)] : ALL_POINTS
}

interface Place {
  readonly config: string
  readonly data: string
}

const within = async (backend: string, use: (place: Place) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-first-"))
  const config = join(root, "node.toml")
  const text = configWith(TOKEN, `[storage]`, `database_backend = "${backend}"`)
  writeFileSync(config, text, { mode: 0o600 })
  try {
    await use({ config, data: join(root, "data") })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const argumentsFor = async (
  { config, data }: Place
): Promise<ReadonlyArray<string>> => [
  "start",
  "--config",
  config,
  "--data-dir",
  data,
  "--rpc-addr",
  `127.0.0.1:${await freePort()}`
]

/** From here on signals are listened to. */
const untilListens = async (node: NodeProcess): Promise<void> => {
  let over: Ending | undefined
  void node.ended.then((ending) => (over = ending))
  while (!node.stdout().includes("RPC listens")) {
    if (over !== undefined) throw new Error(`the node ended while starting:\n${over.stdout}\n${over.stderr}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A start that a signal ends after some time. */
const startAndSignal = async (
  place: Place,
  signal: NodeJS.Signals,
  milliseconds: number,
  env: Readonly<Record<string, string>> = {}
): Promise<Ending> => {
  const node = spawnNode(await argumentsFor(place), env)
  const timer = setTimeout(() => node.signal(signal), milliseconds)
  const ending = await node.ended
  clearTimeout(timer)
  return ending
}

/** What a node on a busy machine says of itself: it has nothing to do with the start before. */
const isOfBusyMachine = (line: string): boolean => /"reason":"answers come [\d.]+ s late"/.test(line)

/** The next start knows nothing of what came before. */
const startsWell = async ({ config, data }: Place, about: string): Promise<void> => {
  const node = await startNode(data, { args: ["--config", config], token: TOKEN })
  await node.client.call("generatetoaddress", 1, OPEN_ADDRESS)
  assert.isTrue(await node.client.call("verifychain", 4, 0), about)
  await node.client.call("stop")
  const { exitCode, stderr, stdout } = await node.ended
  node.client.close()
  assert.deepStrictEqual([exitCode, stderr], [0, ""], about)
  const complaints = stdout.split("\n").filter((line) => /"level":"(?:warn|error)"/.test(line))
  assert.deepStrictEqual(complaints.filter((line) => !isOfBusyMachine(line)), [], about)
}

const momentsUpTo = (most: number): ReadonlyArray<number> => Array.from({ length: MOMENTS }, () => random.below(most))

describe(`a very first start (LOCKSTEP_START_SEED=${seed})`, () => {
  for (const backend of ["heed3", "leveldb"]) {
    it(`that is killed anywhere leaves nothing the next one would mind (${backend})`, async () => {
      for (const point of POINTS[backend] ?? []) {
        await within(backend, async (place) => {
          const { signal } = await startAndSignal(place, "SIGTERM", patience(20_000), { LOCKSTEP_TEST_CRASH_AT: point })
          assert.strictEqual(signal, "SIGKILL", point)
          await startsWell(place, `killed at ${point}`)
        })
      }
      for (const moment of momentsUpTo(900)) {
        await within(backend, async (place) => {
          await startAndSignal(place, "SIGKILL", moment)
          await startsWell(place, `killed after ${moment} ms`)
        })
      }
    }, patience(300_000))
  }

  it("that is asked to stop while it starts stops cleanly", async () => {
    for (const moment of momentsUpTo(1_200)) {
      await within("heed3", async (place) => {
        const asked = Date.now() + moment
        const { exitCode, signal, stderr } = await startAndSignal(place, "SIGTERM", moment)
        // Before the program has begun to listen to signals the system ends it.
        if (signal !== "SIGTERM") assert.deepStrictEqual([exitCode, stderr], [0, ""], `after ${moment} ms`)
        assert.isBelow(Date.now() - asked, patience(5_000))
        await startsWell(place, `stopped after ${moment} ms`)
      })
    }
  }, patience(300_000))

  it("that is asked twice at once stops in order, as if it was asked once, whatever it is doing", async () => {
    await within("heed3", async (place) => {
      const node = spawnNode(await argumentsFor(place))
      await untilListens(node)
      node.signal("SIGINT")
      node.signal("SIGTERM")
      assert.deepInclude(await node.ended, { exitCode: 0, signal: null, stderr: "" })
      await startsWell(place, "asked twice")
    })
  })

  it("is not kept from it by variables of other programs", async () => {
    await within("auto", async (place) => {
      const others = { RUST_LOG: "@@@,info=", NODE_NO_SUCH_THING: "x", NODE_EXTRA_CA_CERTS: "", NODE_LOG_LEVEL: "" }
      const node = spawnNode(await argumentsFor(place), others)
      await untilListens(node)
      node.signal("SIGTERM")
      assert.deepInclude(await node.ended, { exitCode: 0, signal: null, stderr: "" })
    })
  })
})
