import { cpSync, readdirSync, rmSync } from "node:fs"
import { basename, join, relative } from "node:path"
import type { Random } from "../crash/random.ts"
import { filterFault } from "../process/filters-agree.ts"
import { type Ending, freePort, type NodeProcess, spawnNode } from "../process/node-process.ts"
import { type RpcClient, rpcClient, RpcFailure } from "../process/rpc-client.ts"
import type { Damage } from "./damages.ts"
import { ENVIRONMENT, type Sample, type Stand, type Step, TOKEN } from "./sample.ts"
import { patience, slowness } from "../process/patience.ts"

/** A file that is damaged, and how. */
export interface Trial {
  readonly sample: Sample
  /** Below the sample's data directory. */
  readonly file: string
  readonly damage: Damage
}

// Far more than each takes, also on a machine that has much else to do.
const FACTOR = slowness()
const START_MS = patience(90_000, FACTOR)
const REBUILD_MS = patience(180_000, FACTOR)
const ANSWER_MS = patience(90_000, FACTOR)
const STOP_MS = patience(60_000, FACTOR)

/** What the node may say about damage: it names the file, or the directory of the store it belongs to. */
class Complaint extends Error {}

/** Something that must not happen. */
class Violation extends Error {}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const tail = (text: string): string => text.split("\n").slice(-25).join("\n")

const within = async <A>(milliseconds: number, what: string, work: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Violation(`${what} takes more than ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const demand = (holds: boolean, message: string): void => {
  if (!holds) throw new Violation(message)
}

/** The names of which a complaint must have one. */
const namesOf = (file: string): ReadonlyArray<string> => {
  const parts = file.split("/")
  const store = parts.find((part) => part.startsWith("store-"))
  return store === undefined ? [basename(file)] : [store]
}

const REMEDY = /lockstep rebuild|restore|remove|move |free some|start again|stop /i

const judgeWords = (text: string, file: string): void => {
  demand(namesOf(file).some((name) => text.includes(name)), `the message names another file than ${file}: ${text}`)
  demand(REMEDY.test(text), `the message does not say what to do: ${text}`)
}

/** What LMDB writes to standard error itself when its list of free pages is damaged. */
const LMDB_OWN =
  /^(?:overlapping duplicate entry|freelist|(?:conflicting|from the original) freelist|All the entries that|entry \d+:$)/

const judgeEnding = ({ exitCode, signal, stderr: written, stdout }: Ending, file: string): string => {
  const said = `${tail(stdout)}\n${written}`
  const stderr = written.split("\n").filter((line) => !LMDB_OWN.test(line)).join("\n")
  demand(signal === null, `the process was killed by ${signal}:\n${said}`)
  demand(exitCode === 1, `exit code ${exitCode}:\n${said}`)
  demand(!/\n\s+at /.test(`${stdout}\n${stderr}`), `a stack trace:\n${said}`)
  demand(!stderr.includes("internal error"), `an internal error:\n${said}`)
  demand(
    stderr.trim() !== "" && stderr.trim().split("\n").every((line) => line.startsWith("node: ")),
    `not only messages on stderr:\n${said}`
  )
  judgeWords(stderr, file)
  return stderr.trim()
}

/** A node on damaged data: it may end at any time. */
interface Session {
  readonly node: NodeProcess
  readonly client: RpcClient
  /** The answer; complaints about the damage are thrown as such, whether the call or the whole node failed of it. */
  readonly ask: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>
}

const argumentsFor = (
  sample: Sample,
  directory: string
): ReadonlyArray<string> => ["--network", "regtest", "--config", sample.config, "--data-dir", directory]

const hasEnded = async (node: NodeProcess): Promise<boolean> =>
  Promise.race([node.ended.then(() => true), pause(0).then(() => false)])

const complaintOfEnd = async (node: NodeProcess, file: string): Promise<Complaint> =>
  new Complaint(judgeEnding(await within(STOP_MS, "the end of the process", node.ended), file))

const open = async ({ file, sample }: Trial, directory: string): Promise<Session> => {
  const port = await freePort()
  const node = spawnNode(["start", ...argumentsFor(sample, directory), "--rpc-addr", `127.0.0.1:${port}`], ENVIRONMENT)
  const client = rpcClient(port, TOKEN)
  const ask: Session["ask"] = async (method, ...params) => {
    try {
      return await within(ANSWER_MS, method, client.call(method, ...params))
    } catch (error) {
      if (error instanceof Violation) throw error
      if (!(error instanceof RpcFailure)) throw await complaintOfEnd(node, file)
      judgeWords(error.message, file)
      // A fault of the disk under a change ends the node; a question that fails does not.
      await pause(300)
      if (await hasEnded(node)) throw await complaintOfEnd(node, file)
      throw new Complaint(error.message)
    }
  }
  return { node, client, ask }
}

const shut = async ({ client, node }: Session): Promise<void> => {
  client.close()
  node.signal("SIGKILL")
  await node.ended
}

const untilOpen = async ({ client, node }: Session, file: string): Promise<void> => {
  const deadline = Date.now() + START_MS
  for (;;) {
    const answer = await client.call("getblockcount").then(() => "open", (error: unknown) => error)
    if (answer === "open") return
    if (answer instanceof RpcFailure && answer.code !== -28) {
      judgeWords(answer.message, file)
      throw new Complaint(answer.message)
    }
    if (await hasEnded(node)) throw await complaintOfEnd(node, file)
    if (Date.now() > deadline) {
      throw new Violation(`the start takes more than ${START_MS} ms:\n${tail(node.stdout())}\n${node.stderr()}`)
    }
    await pause(20)
  }
}

const untilTip = async ({ ask, node }: Session, { tip }: Stand): Promise<void> => {
  const deadline = Date.now() + REBUILD_MS
  while (await ask("getbestblockhash") !== tip) {
    if (Date.now() > deadline) {
      throw new Violation(`the chain does not reach its tip by itself:\n${tail(node.stdout())}`)
    }
    await pause(50)
  }
}

const coinsAre = async ({ ask, node }: Session, { height, muhash, tip }: Stand): Promise<void> => {
  const set = await ask("gettxoutsetinfo", "muhash", null, false) as {
    height: number
    bestblock: string
    muhash: string
  }
  demand(
    set.bestblock === tip && set.height === height,
    `the tip is ${set.bestblock} at ${set.height}, not ${tip} at ${height}:\n${tail(node.stdout())}`
  )
  demand(
    set.muhash === muhash,
    `wrong coins: ${set.muhash} instead of ${muhash} at height ${height}:\n${tail(node.stdout())}`
  )
}

const indexesAre = async ({ ask }: Session, { height, muhash }: Stand): Promise<void> => {
  const deadline = Date.now() + ANSWER_MS
  for (;;) {
    const indexes = Object.values(
      await ask("getindexinfo") as Record<string, { synced: boolean; best_block_height: number }>
    )
    if (indexes.every(({ best_block_height: at, synced }) => synced && at === height)) break
    if (Date.now() > deadline) throw new Violation("the indexes do not reach the tip")
    await pause(30)
  }
  const set = await ask("gettxoutsetinfo", "muhash", null, true) as { muhash: string }
  demand(set.muhash === muhash, `the index of coin statistics says ${set.muhash} instead of ${muhash}`)
  const fault = await filterFault(ask, await ask("getbestblockhash") as string)
  demand(fault === undefined, fault ?? "")
}

const blocksAre = async ({ ask }: Session, { blocks }: Sample): Promise<void> => {
  for (const [i, block] of blocks.entries()) {
    const read = await ask("getblock", await ask("getblockhash", i + 1), 0)
    demand(read === block, `the block at height ${i + 1} is not what it was`)
  }
}

const goOn = async (session: Session, { blocks, to }: Step): Promise<void> => {
  for (const block of blocks) {
    const said = await session.ask("submitblock", block)
    demand(said === null || said === "inconclusive" || said === "duplicate", `a good block is refused: ${String(said)}`)
  }
  await coinsAre(session, to)
}

/** Stages of a look at the chain, from what every node needs to what only some calls do. */
const stages = (
  session: Session,
  sample: Sample,
  file: string
): ReadonlyArray<readonly [name: string, run: () => Promise<void>]> => [
  ["coins", async () => {
    await untilTip(session, sample.stand)
    await coinsAre(session, sample.stand)
  }],
  ["indexes", async () => sample.indexes ? await indexesAre(session, sample.stand) : undefined],
  ["blocks", () => blocksAre(session, sample)],
  ["verifychain", async () => {
    if (await session.ask("verifychain", 4, 0) === true) return
    await pause(50)
    const said = session.node.stdout().split("\n").find((line) =>
      /"level":"(?:warn|error)"/.test(line) && line.includes(basename(file))
    )
    demand(
      said !== undefined,
      `verifychain says false, and the log does not name the file:\n${tail(session.node.stdout())}`
    )
    throw new Complaint(`verifychain says false: ${said}`)
  }],
  ...sample.after.map((step, i) => [i === 0 ? "growth" : "reorganisation", () => goOn(session, step)] as const)
]

interface Outcome {
  /** What did not work, each with what was said. */
  readonly complaints: ReadonlyArray<readonly [stage: string, text: string]>
  readonly setAside: boolean
  readonly log: string
}

const hasSetAside = (directory: string): boolean =>
  readdirSync(join(directory, "regtest")).some((name) => /\.(?:damaged|unused)-/.test(name))

/** Runs a node through all stages; goes on behind one that fails as long as the node runs. */
const examine = async (trial: Trial, directory: string): Promise<Outcome> => {
  const complaints: Array<readonly [string, string]> = []
  const session = await open(trial, directory)
  let isOver = false
  const attempt = async (name: string, run: () => Promise<void>): Promise<void> => {
    if (isOver) return
    try {
      await run()
    } catch (error) {
      if (!(error instanceof Complaint)) throw error
      complaints.push([name, error.message])
      isOver = name === "start" || await hasEnded(session.node)
    }
  }
  try {
    await attempt("start", () => untilOpen(session, trial.file))
    for (const [name, run] of stages(session, trial.sample, trial.file)) await attempt(name, run)
    if (!isOver) {
      await session.ask("stop")
      const { exitCode, signal, stderr } = await within(STOP_MS, "the stop", session.node.ended)
      demand(
        exitCode === 0 && signal === null && stderr === "",
        `the stop: exit code ${exitCode}, ${signal}, ${stderr}`
      )
    }
    const log = session.node.stdout()
    demand(!/\n\s+at |\\n\s+at /.test(log), `a stack trace in the log:\n${tail(log)}`)
    return { complaints, setAside: hasSetAside(directory), log }
  } finally {
    await shut(session)
  }
}

const rebuild = async ({ file, sample }: Trial, directory: string): Promise<void> => {
  const node = spawnNode(["rebuild", ...argumentsFor(sample, directory)], ENVIRONMENT)
  try {
    const { exitCode, signal, stderr, stdout } = await within(REBUILD_MS, "the rebuild", node.ended)
    demand(
      exitCode === 0 && signal === null,
      `\`lockstep rebuild\` after damage to ${file}: exit code ${exitCode}, ${signal}\n${tail(stdout)}\n${stderr}`
    )
  } finally {
    node.signal("SIGKILL")
  }
}

const isBlockFile = (file: string): boolean => /blk\d+\.dat$/.test(file)

/** What the messages advised. */
const repair = async (trial: Trial, directory: string, texts: ReadonlyArray<string>): Promise<string> => {
  const path = join(directory, trial.file)
  if (texts.some((text) => /Move (?:the directory|it) away/.test(text))) rmSync(path, { recursive: true })
  if (texts.some((text) => text.includes("lockstep rebuild"))) {
    await rebuild(trial, directory)
    return "rebuilt"
  }
  rmSync(path, { recursive: true, force: true })
  return "removed"
}

/** What is whole on disk is there again without help. */
const untilSampleIsBack = async ({ ask, node }: Session, { height }: Stand): Promise<void> => {
  const deadline = Date.now() + REBUILD_MS
  while (await ask("getblockcount") as number < height) {
    if (Date.now() > deadline) throw new Violation(`the chain does not come back by itself:\n${tail(node.stdout())}`)
    await pause(50)
  }
}

/** Hands in all blocks, as another node would: some may have been in the damaged file. */
const submitAll = async (trial: Trial, directory: string): Promise<void> => {
  const { after, blocks, stand } = trial.sample
  const session = await open(trial, directory)
  try {
    await untilOpen(session, trial.file)
    if (!isBlockFile(trial.file)) await untilSampleIsBack(session, stand)
    for (const block of [...blocks, ...after.flatMap((step) => step.blocks)]) await session.ask("submitblock", block)
    await session.ask("stop")
    await within(STOP_MS, "the stop", session.node.ended)
  } finally {
    await shut(session)
  }
}

const textsOf = ({ complaints }: Outcome): ReadonlyArray<string> => complaints.map(([, text]) => text)

const summary = ({ complaints, setAside }: Outcome): string => {
  const faults = complaints.map(([stage, text]) => `${stage}: ${text}`).join(" | ")
  return `${setAside ? "fell back" : "runs"}${faults === "" ? "" : ` with complaints: ${faults}`}`
}

/** Where things stand after the last step, for a node that went through all of them already. */
const ended = (sample: Sample): Sample => ({ ...sample, stand: sample.after.at(-1)!.to, blocks: [], after: [] })

/** One message may come after the other: does what each says until the node has none. Answers what was done. */
const followAdvice = async (trial: Trial, directory: string, first: Outcome): Promise<string> => {
  const done: Array<string> = []
  let outcome = first
  for (let i = 0; i < 3 && outcome.complaints.length > 0; i++) {
    done.push(await repair(trial, directory, textsOf(outcome)))
    try {
      await submitAll(trial, directory)
      outcome = await examine({ ...trial, sample: ended(trial.sample) }, directory)
    } catch (error) {
      if (!(error instanceof Complaint)) throw error
      outcome = { ...outcome, complaints: [["start", error.message]] }
    }
  }
  demand(
    outcome.complaints.length === 0,
    `after what was reported (${done.join(", ")}): ${summary(outcome)}\nbefore: ${summary(first)}`
  )
  return done.join(", ")
}

/**
 * Damages one file of a copy of the sample and starts a node on it. Answers what the node made of it; throws when it
 * made something wrong of it, or when what its messages say to do does not help.
 */
export const runTrial = async (trial: Trial, workplace: string, random: Random): Promise<string | undefined> => {
  const { backend, directory, indexes } = trial.sample
  rmSync(workplace, { recursive: true, force: true })
  cpSync(directory, workplace, { recursive: true })
  const done = trial.damage.apply(join(workplace, trial.file), random)
  if (done === undefined) return undefined
  try {
    const first = await examine(trial, workplace)
    if (first.complaints.length > 0) {
      return `${done}: ${summary(first)}; ${await followAdvice(trial, workplace, first)}, well again`
    }
    const again = await examine({ ...trial, sample: ended(trial.sample) }, workplace)
    demand(again.complaints.length === 0, `the second start complains: ${summary(again)}`)
    return `${done}: ${summary(first)}`
  } catch (error) {
    throw new Error(
      `${backend}${indexes ? " with indexes" : ""}, ${trial.file}, ${done}: ${(error as Error).message}`,
      { cause: error }
    )
  }
}

/** Every file of a sample, as a node leaves it behind. */
export const filesOf = ({ directory }: Sample): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort()
