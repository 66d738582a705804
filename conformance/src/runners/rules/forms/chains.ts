import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import type { Field } from "../../../formats/field.ts"
import { bitsText, workOf } from "./numbers.ts"
import { hashOf, sha256d } from "./hash.ts"
import { headerBytes, headerOf } from "./transactions.ts"

/** Nodes of one chain from its first one up. */
type Line = ReadonlyArray<HeaderNode>

/** Each chain of a call is made once, so that arguments that branch off one another share their nodes. */
const LINES = new WeakMap<Field, Map<unknown, Line>>()

const DEFAULT_SPACING = 600
const DEFAULT_BITS = "1d00ffff"

const at = (line: Line, height: number): HeaderNode | undefined => line[height - line[0]!.height]

const withoutLowestBit = (n: number): number => n & (n - 1)

/** The height that a node's pointer further back leads to. */
const skippedTo = (height: number): number => {
  if (height < 2) return 0
  return height % 2 === 0 ? withoutLowestBit(height) : withoutLowestBit(withoutLowestBit(height - 1)) + 1
}

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
    skip: parent === undefined ? undefined : at(line, skippedTo(height)),
    chainWork: (parent?.chainWork ?? 0n) + workOf(header.bits)
  }
}

/** `line` and what `headers` puts on top of it; `repeat` makes several of one, each a spacing after the one before. */
const grown = (line: Line, from: number, headers: ReadonlyArray<Field>): Line => {
  const nodes = [...line]
  for (const field of headers) {
    const { time: _, ...rest } = field.raw as { time?: unknown }
    const again = field.replaced(rest)
    const times = field.find("repeat")?.integer ?? 1
    for (let i = 0; i < times; i++) {
      nodes.push(nodeOn(nodes, (nodes.at(-1)?.height ?? from - 1) + 1, i === 0 ? field : again))
    }
  }
  return nodes
}

const lineIn = (field: Field, args: Field): Line => {
  const lines = LINES.get(args) ?? new Map<unknown, Line>()
  LINES.set(args, lines)
  const known = lines.get(field.raw)
  if (known !== undefined) return known
  const chain = field.find("chain")
  const line = chain === undefined
    ? branchIn(field.get("branch"), args)
    : grown([], chain.find("from")?.integer ?? 0, chain.get("headers").items)
  if (line.length === 0) return field.fail("expected at least one header")
  lines.set(field.raw, line)
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
 * The last node of a made-up chain: `{"chain": {from?, headers}}`, or `{"branch": {of, at, headers?}}` on the chain of
 * the argument `of`.
 */
export const nodeIn = (field: Field, args: Field): HeaderNode => lineIn(field, args).at(-1)!

/** Counts how often a pointer to another node is followed. */
export interface Steps {
  taken: number
}

/** `node`, and whatever is reached from it, counting in `steps`. */
export const counted = (node: HeaderNode, steps: Steps): HeaderNode => {
  const follow = (to: HeaderNode | undefined): HeaderNode | undefined => {
    steps.taken++
    return to === undefined ? undefined : counted(to, steps)
  }
  const { chainWork, hash, header, height } = node
  return {
    chainWork,
    hash,
    header,
    height,
    get parent() {
      return follow(node.parent)
    },
    get skip() {
      return follow(node.skip)
    }
  }
}

/** What an answer says of a node. */
export const plainNode = (node: HeaderNode | undefined): object | null =>
  node === undefined ? null : {
    height: node.height,
    time: node.header.time,
    bits: bitsText(node.header.bits),
    chainWork: String(node.chainWork),
    skip: node.skip?.height
  }
