import { isBetterChain, lastCommonAncestor, reorganisation } from "@lockstep/kernel/internal/chain/selection.ts"
import { ancestorAt, childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyTree, chainTo, type NaiveTree } from "../../arbitraries/header-tree.ts"
import { anyBits } from "../../arbitraries/work.ts"
import { check } from "../../check.ts"
import { sha256d } from "../../oracles/hash.ts"
import { serializeHeader } from "../../oracles/header.ts"
import { targetOfBits, workOfBits } from "../../oracles/target.ts"
import { kernelHeader } from "../../subject/chain.ts"
import { kernelTree } from "../../subject/tree.ts"

/** A tree with two of its headers; long trees are rare, a tree of two geneses is rarer. */
const pair: Arbitrary<readonly [NaiveTree, number, number]> = fc
  .oneof({ weight: 4, arbitrary: anyTree(40) }, { weight: 1, arbitrary: anyTree(300, fc.constant(0x207fffff)) })
  .chain((tree) =>
    fc.tuple(fc.nat(), fc.nat(), fc.nat(6)).map(([a, b, split]) => {
      const { length } = tree.headers
      const parents = split === 0
        ? tree.parents.map((parent, i) => (i === Math.floor(length / 2) ? -1 : parent))
        : tree.parents
      return [{ headers: tree.headers, parents }, a % length, b % length] as const
    })
  )

const parentsOf = (node: HeaderNode): ReadonlyArray<HeaderNode> => {
  const chain: Array<HeaderNode> = []
  for (let at: HeaderNode | undefined = node; at !== undefined; at = at.parent) chain.push(at)
  return chain
}

/** By walking: the first of `a` and its ancestors that `b` has as well. */
const commonByWalking = (a: HeaderNode, b: HeaderNode): HeaderNode | undefined => {
  const others = new Set(parentsOf(b))
  return parentsOf(a).find((node) => others.has(node))
}

const candidates = fc
  .tuple(
    anyTree(20, fc.constantFrom(0x207fffff, 0x207ffffe, 0x200fffff, 0)),
    fc.array(fc.nat(5), { minLength: 20, maxLength: 20 })
  )
  .map(([tree, sequences]) => kernelTree(tree).map((node, i) => ({ node, sequence: sequences[i]! })))

describe("CHN the tree of headers", () => {
  it("CHN-001/P1 the value equals the statement", () => {
    check(
      fc.property(pair, fc.integer({ min: -2, max: 310 }), ([tree, index], height) => {
        const node = kernelTree(tree)[index]!
        const expected = parentsOf(node).find((each) => each.height === height)
        assert(ancestorAt(node, height) === expected)
      }),
      400
    )
    const [long] = fc.sample(anyTree(1, fc.constant(0x207fffff)), { numRuns: 1, seed: 1 })
    let tip: HeaderNode | undefined
    const nodes = Array.from(
      { length: 3_000 },
      () => (tip = childOf(tip, kernelHeader(long!.headers[0]!), new Uint8Array(32)))
    )
    for (let height = 0; height < nodes.length; height++) assert(ancestorAt(nodes.at(-1)!, height) === nodes[height])
    for (const [i, node] of nodes.entries()) assert(ancestorAt(node, i >> 1) === nodes[i >> 1])
  })

  it("CHN-001/P2 an ancestor of an ancestor is an ancestor", () => {
    check(
      fc.property(pair, fc.nat(), fc.nat(), ([tree, index], first, second) => {
        const node = kernelTree(tree)[index]!
        const height = first % (node.height + 1)
        const lower = second % (height + 1)
        assert(ancestorAt(ancestorAt(node, height)!, lower) === ancestorAt(node, lower))
      })
    )
  })

  it("CHN-002/P1 the value equals the statement", () => {
    check(
      fc.property(pair, ([tree, index]) => {
        const { header, hash, height, chainWork } = kernelTree(tree)[index]!
        const chain = chainTo(tree, index)
        agree(header, kernelHeader(chain.at(-1)!))
        agree(hash, sha256d(serializeHeader(chain.at(-1)!)))
        agree([height, chainWork], [chain.length - 1, chain.reduce((work, { bits }) => work + workOfBits(bits), 0n)])
      })
    )
  })

  it("CHN-002/P2 a node whose bits are a target has more chain work than its parent", () => {
    check(
      fc.property(pair, anyBits, ([tree, index], bits) => {
        const node = kernelTree(tree)[index]!
        const child = childOf(node, { ...node.header, bits }, new Uint8Array(32))
        agree(child.chainWork > node.chainWork, targetOfBits(bits) !== undefined)
        assert(child.chainWork >= node.chainWork)
      })
    )
  })

  it("CHN-003/P1 the value equals the statement", () => {
    check(
      fc.property(candidates, (all) => {
        for (const a of all) {
          for (const b of all) {
            const work = a.node.chainWork - b.node.chainWork
            agree(isBetterChain(a, b), work > 0n || (work === 0n && a.sequence < b.sequence))
          }
        }
      }),
      50
    )
  })

  it("CHN-003/P2 a strict total order", () => {
    check(
      fc.property(candidates, (all) => {
        for (const a of all) {
          for (const b of all) {
            const differ = a.node.chainWork !== b.node.chainWork || a.sequence !== b.sequence
            agree(Number(isBetterChain(a, b)) + Number(isBetterChain(b, a)), differ ? 1 : 0)
            const third = all.find((c) => isBetterChain(b, c))
            if (third !== undefined && isBetterChain(a, b)) assert(isBetterChain(a, third))
          }
        }
      }),
      50
    )
  })

  it("CHN-004/P1 the value equals the statement", () => {
    check(
      fc.property(pair, ([tree, a, b]) => {
        const nodes = kernelTree(tree)
        assert(lastCommonAncestor(nodes[a]!, nodes[b]!) === commonByWalking(nodes[a]!, nodes[b]!))
      }),
      500
    )
  })

  it("CHN-004/P2 the order of the two has no influence", () => {
    check(
      fc.property(pair, ([tree, a, b]) => {
        const nodes = kernelTree(tree)
        assert(lastCommonAncestor(nodes[a]!, nodes[b]!) === lastCommonAncestor(nodes[b]!, nodes[a]!))
      })
    )
  })

  it("CHN-005/P1 the value equals the statement", () => {
    check(
      fc.property(pair, ([tree, a, b]) => {
        const nodes = kernelTree(tree)
        const [from, to] = [nodes[a]!, nodes[b]!]
        const { fork, disconnect, connect } = reorganisation(from, to)
        const [left, entered] = [new Set(parentsOf(from)), new Set(parentsOf(to))]
        assert(fork === commonByWalking(from, to))
        const leaving = parentsOf(from).filter((node) => !entered.has(node))
        const entering = parentsOf(to)
          .filter((node) => !left.has(node))
          .toReversed()
        assert(disconnect.length === leaving.length && disconnect.every((node, i) => node === leaving[i]))
        assert(connect.length === entering.length && connect.every((node, i) => node === entering[i]))
      }),
      400
    )
  })

  it("CHN-005/P2 the way back disconnects what the way there connects, in the opposite order", () => {
    check(
      fc.property(pair, ([tree, a, b]) => {
        const nodes = kernelTree(tree)
        const there = reorganisation(nodes[a]!, nodes[b]!)
        const back = reorganisation(nodes[b]!, nodes[a]!)
        assert(there.connect.every((node, i) => node === back.disconnect.at(-1 - i)))
        assert(there.disconnect.every((node, i) => node === back.connect.at(-1 - i)))
        assert(there.connect.length === back.disconnect.length && there.disconnect.length === back.connect.length)
      })
    )
  })
})
