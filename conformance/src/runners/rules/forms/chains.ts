import type { HeaderNode } from "@lockstep/kernel/header/node.ts"
import { skipHeight } from "@lockstep/kernel/header/node.ts"
import { blockWork } from "@lockstep/kernel/work/block-work.ts"
import type { Field } from "../../../formats/field.ts"
import { bitsText } from "./numbers.ts"
import { hashOf, sha256d } from "./hash.ts"
import { headerBytes, headerOf } from "./transactions.ts"

/** Nodes of one chain from its first one up. */
type Line = ReadonlyArray<HeaderNode>

/** Each chain of a case is made once, so that arguments that branch off one another share their nodes. */
const LINES = new WeakMap<object, Line>()

const DEFAULT_SPACING = 600
const DEFAULT_BITS = "1d00ffff"

const at = (line: Line, height: number): HeaderNode | undefined => line[height - line[0]!.height]

/** The header of `field` on top of `parent`; what it leaves out follows its parent. */
const nodeOn = (line: Line, height: number, field: Field): HeaderNode => {
  const parent = line.at(-1)
  const spacing = field.find("spacing")?.integer ?? DEFAULT_SPACING
  const header = headerOf(headerBytes(
    field.replaced({
      bits: parent === undefined ? DEFAULT_BITS : bitsText(parent.header.bits),
      time: (parent?.header.time ?? 0) + (parent === undefined ? 0 : spacing),
      ...field.raw as object
    }),
    undefined,
    parent?.hash
  ))
  const hash = field.find("hash")
  return {
    header,
    hash: hash === undefined ? sha256d(header.bytes) : hashOf(hash),
    height,
    parent,
    // The first node of a case may stand at any height; nothing leads below it.
    skip: parent === undefined ? undefined : at(line, skipHeight(height)),
    chainWork: (parent?.chainWork ?? 0n) + blockWork(header.bits)
  }
}

/** `line` and what `headers` puts on top of it; `repeat` makes several of one, each a spacing after the one before. */
const grown = (line: Line, from: number, headers: ReadonlyArray<Field>): Line => {
  const nodes = [...line]
  for (const field of headers) {
    const { time: _, ...rest } = field.raw as { time?: unknown }
    const again = field.replaced(rest)
    const times = field.find("repeat")?.integer ?? 1
    for (let i = 0; i < times; i++) nodes.push(nodeOn(nodes, (nodes.at(-1)?.height ?? from - 1) + 1, i === 0 ? field : again))
  }
  return nodes
}

const lineIn = (field: Field, args: Field): Line => {
  const known = LINES.get(field.raw as object)
  if (known !== undefined) return known
  const chain = field.find("chain")
  const line = chain === undefined
    ? branchIn(field.get("branch"), args)
    : grown([], chain.find("from")?.integer ?? 0, chain.get("headers").items)
  if (line.length === 0) return field.fail("expected at least one header")
  LINES.set(field.raw as object, line)
  return line
}

/** A chain that shares another argument's up to some height. */
const branchIn = (branch: Field, args: Field): Line => {
  const trunk = lineIn(args.get(branch.get("of").text), args)
  const shared = branch.get("at").integer - trunk[0]!.height + 1
  if (shared < 1 || shared > trunk.length) return branch.get("at").fail("the chain has no header at this height")
  return grown(trunk.slice(0, shared), 0, branch.find("headers")?.items ?? [])
}

/**
 * The last node of a made-up chain: `{"chain": {from?, headers}}`, or `{"branch": {of, at, headers?}}` on the chain of the
 * argument `of`.
 */
export const nodeIn = (field: Field, args: Field): HeaderNode => lineIn(field, args).at(-1)!

/** What an answer tells of a node. */
export const plainNode = (node: HeaderNode | undefined): unknown => node === undefined ? null : {
  height: node.height,
  time: node.header.time,
  bits: bitsText(node.header.bits),
  chainWork: String(node.chainWork)
}
