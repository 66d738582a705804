import { createHash } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"

/** A miner of Stratum V1 as a test writes it: everything that it hashes it puts together by itself. */
export interface ScriptedMiner {
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<{ result: unknown; error: unknown }>
  /** The newest job, once there is one after so many. */
  readonly job: (after?: number) => Promise<MinerJob>
  /** All jobs that came, the oldest first. */
  readonly jobs: ReadonlyArray<MinerJob>
  /** Parameters of a share on a job; `isBlock` false: one that is too bad. */
  readonly solve: (job: MinerJob, isGood?: boolean, versionBits?: number) => ReadonlyArray<string>
  readonly end: () => void
}

type JobParameters = readonly [
  id: string,
  previous: string,
  before: string,
  after: string,
  branch: ReadonlyArray<string>,
  version: string,
  bits: string,
  time: string,
  isClean: boolean
]

interface MinerJob {
  readonly number: number
  readonly params: JobParameters
}

const sha256d = (bytes: Buffer): Buffer =>
  createHash("sha256").update(createHash("sha256").update(bytes).digest()).digest()

const little = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}

/** The target of the bits of regtest. */
const REGTEST_TARGET = BigInt(`0x7fffff${"00".repeat(29)}`)

/** Connects, and reads what comes. */
export const scriptedMiner = async (port: number): Promise<ScriptedMiner> => {
  const socket = connect(port, "127.0.0.1")
  await once(socket, "connect")
  const answers = new Map<number, (answer: { result: unknown; error: unknown }) => void>()
  const jobs: Array<MinerJob> = []
  const waiting: Array<() => void> = []
  let [rest, nextId, extranonce1, tries] = ["", 1, "", 0]
  socket.on("data", (chunk) => {
    const lines = (rest + chunk.toString()).split("\n")
    rest = lines.pop()!
    for (const line of lines) {
      const message = JSON.parse(line)
      if (message.method === "mining.notify") jobs.push({ number: jobs.length + 1, params: message.params })
      if (message.id !== null) answers.get(message.id)?.(message)
    }
    for (const look of waiting.splice(0)) look()
  })
  const call: ScriptedMiner["call"] = async (method, ...params) => {
    const id = nextId++
    const answer = new Promise<{ result: unknown; error: unknown }>((resolve) => answers.set(id, resolve))
    socket.write(`${JSON.stringify({ id, method, params })}\n`)
    const { error, result } = await answer
    if (method === "mining.subscribe") extranonce1 = (result as ReadonlyArray<string>)[1]!
    return { result, error }
  }
  return {
    call,
    jobs,
    job: async (after = 0) => {
      while (jobs.length <= after) await new Promise<void>((resolve) => waiting.push(resolve))
      return jobs.at(-1)!
    },
    solve: ({ params }, isGood = true, versionBits) => {
      const [id, previous, before, after, branch, version, bits, time] = params
      const extranonce2 = (++tries).toString(16).padStart(16, "0")
      const coinbase = Buffer.from(before + extranonce1 + extranonce2 + after, "hex")
      const root = branch.reduce(
        (left, right) => sha256d(Buffer.concat([left, Buffer.from(right, "hex")])),
        sha256d(coinbase)
      )
      const rolled = versionBits === undefined
        ? Number.parseInt(version, 16)
        : (Number.parseInt(version, 16) & ~0x1fffe000) | versionBits
      for (let nonce = 0;; nonce++) {
        const header = Buffer.concat([
          little(rolled),
          Buffer.from(previous, "hex").swap32(),
          root,
          little(Number.parseInt(time, 16)),
          little(Number.parseInt(bits, 16)),
          little(nonce)
        ])
        const value = BigInt(`0x${sha256d(header).reverse().toString("hex")}`)
        if ((value <= REGTEST_TARGET) !== isGood) continue
        const share = [id, extranonce2, time, nonce.toString(16).padStart(8, "0")]
        return versionBits === undefined ? share : [...share, versionBits.toString(16).padStart(8, "0")]
      }
    },
    end: () => void socket.destroy()
  }
}
