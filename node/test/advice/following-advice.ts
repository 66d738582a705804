import { assert } from "@effect/vitest"
import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { RunningNode } from "../process/node-process.ts"
import { type AdvisedNode, isWell } from "./advised-node.ts"

/** What makes a message that names a command, and whether following it helps. */
export interface Advice {
  /** The file of the message, and the command it names there. */
  readonly source: string
  readonly name: string
  /** Which place it begins on; none: the grown one. */
  readonly begins?: "pruned"
  /** Answers what was said. */
  readonly produce: (place: AdvisedNode) => Promise<string>
  readonly command: RegExp
  /** Whether following it helped; the text is the command that the message named. */
  readonly helps: (place: AdvisedNode, command: string) => Promise<void>
}

export const REBUILD = /`lockstep (rebuild)`/

export const spoil = (file: string, offset: number, bytes: Uint8Array): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, bytes, 0, bytes.length, offset)
  closeSync(descriptor)
}

export const blockFile = ({ own }: AdvisedNode): string => join(own, "blocks/blk00000.dat")

/** What a command line that fails says. */
export const said = async (place: AdvisedNode, ...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr } = await place.run(...args)
  assert.notStrictEqual(exitCode, 0, stderr)
  return stderr
}

/** What a node says in answer to something and in its log, and as it ends. */
export const received = async (
  node: RunningNode,
  ask: (node: RunningNode) => Promise<unknown>
): Promise<string> => {
  const answer = await ask(node).then((result) => JSON.stringify(result), ({ message }: Error) => message)
  node.signal("SIGTERM")
  node.client.close()
  const { stderr, stdout } = await node.ended
  return [answer, stdout, stderr].join("\n")
}

/** A call to the shared node, which fails with a message of its own. */
export const refusedCall = async (place: AdvisedNode, ...args: ReadonlyArray<string>): Promise<string> => {
  const { port } = await place.shared()
  return said(place, "rpc", ...args, "--rpc-addr", `127.0.0.1:${port}`)
}

const runsWell = async (place: AdvisedNode, ...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await place.run(...args)
  assert.strictEqual(exitCode, 0, stderr)
  return stdout
}

/** `rebuild` ends well, and a node starts with the chain up to what can be read. */
export const rebuilds = (least?: number) => async (place: AdvisedNode, command: string): Promise<void> => {
  await runsWell(place, command)
  await isWell(place, least)
}

/** `rebuild` ends well, and blocks that are not here are taken again, as they would be from another node. */
export const rebuildsAndTakes =
  (least: number, blocksOf: (place: AdvisedNode) => ReadonlyArray<string>) =>
  async (place: AdvisedNode, command: string): Promise<void> => {
    await runsWell(place, command)
    await runsWell(place, "import", ...blocksOf(place))
    await isWell(place, least)
  }

export const printsWell = async (place: AdvisedNode, command: string): Promise<void> => {
  const { exitCode, stderr, stdout } = await place.run(...command.split(" "))
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
  assert.isNotEmpty(stdout)
}

export const starts = async (place: AdvisedNode, command: string): Promise<void> => {
  assert.strictEqual(command, "start")
  await isWell(place)
}

export const helpsOnRunning = async (place: AdvisedNode, command: string): Promise<void> => {
  const { port } = await place.shared()
  assert.isNotEmpty(await runsWell(place, ...command.split(" "), "--rpc-addr", `127.0.0.1:${port}`))
}
