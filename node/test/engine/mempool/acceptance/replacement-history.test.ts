import { assert, describe, it } from "vitest"
import type { OutPoint } from "@lockstep/kernel/model"
import { replacementHistory } from "../../../../src/engine/mempool/acceptance/replacement-history.ts"
import { coin, spend } from "../../txmempool/mempools.ts"

const ASKED = { cooldown: 0, maxReplacements: 3 }

const of = (history: ReturnType<typeof replacementHistory>, ...spent: ReadonlyArray<OutPoint>) => history.of(spent)

describe("what is remembered of replacements", () => {
  it("is how often the spender of each coin was replaced, and when last; of several coins the most and the latest", () => {
    const history = replacementHistory(ASKED)
    const [a, b, c] = [coin(1), coin(2), coin(3)]
    history.record([spend([a, b])], 100)
    history.record([spend([a])], 150)
    history.record([spend([c])], 170)
    assert.deepStrictEqual(of(history, a), { count: 2, time: 150 })
    assert.deepStrictEqual(of(history, b), { count: 1, time: 100 })
    assert.deepStrictEqual(of(history, { ...a, vout: 1 }, b), { count: 1, time: 100 })
    for (const both of [[a, c], [c, a]]) assert.deepStrictEqual(of(history, ...both), { count: 2, time: 170 })
    assert.isUndefined(of(history, { ...a, vout: 1 }))
    assert.isUndefined(of(history))
  })

  it("is something where the terms ask for a time or a number, and nothing otherwise", () => {
    const remembers = (terms: Parameters<typeof replacementHistory>[0]): boolean => {
      const history = replacementHistory(terms)
      history.record([spend([coin(1)])], 100)
      return of(history, coin(1)) !== undefined
    }
    assert.deepStrictEqual([
      remembers({ cooldown: 0, maxReplacements: undefined }),
      remembers({ cooldown: 1, maxReplacements: undefined }),
      remembers({ cooldown: 0, maxReplacements: 3 })
    ], [false, true, true])
  })

  it("is of so many coins at most: those that were changed longest ago are forgotten", () => {
    const history = replacementHistory(ASKED, 2)
    const [a, b, c] = [coin(1), coin(2), coin(3)]
    history.record([spend([a])], 100)
    history.record([spend([b])], 110)
    assert.isDefined(of(history, a), "two have room")
    history.record([spend([a])], 120)
    history.record([spend([c])], 130)
    assert.deepStrictEqual([of(history, a)?.count, of(history, b), of(history, c)?.count], [2, undefined, 1])
  })
})
