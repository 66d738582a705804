import { assert, describe, it } from "@effect/vitest"
import { type EvictionCandidate, peerToEvict, protectByAge } from "../../../src/p2p/connections/eviction.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

describe("eviction of inbound peers", () => {
  const random = seededRandom(9)

  const candidate = (id: number, more: Partial<EvictionCandidate> = {}): EvictionCandidate => ({
    id,
    connectedAt: id,
    leastPing: 1_000 + id,
    lastBlock: 0,
    lastTransaction: 0,
    offersBlocks: true,
    relaysTransactions: true,
    isFiltered: false,
    keyedGroup: random.below(2 ** 32),
    group: `group ${id}`,
    isDiscouraged: false,
    isLocal: false,
    network: "ipv4",
    ...more
  })

  const crowd = (count: number, more: (id: number) => Partial<EvictionCandidate> = () => ({})) =>
    Array.from({ length: count }, (_, id) => candidate(id, more(id)))

  it("spares a small number", () => {
    assert.isUndefined(peerToEvict([]))
    assert.isUndefined(peerToEvict(crowd(16)))
    assert.isDefined(peerToEvict(crowd(60)))
  })

  it("takes the youngest of the group with the most", () => {
    const all = crowd(80, (id) => id >= 40 ? { group: "one hand" } : {})
    const gone = peerToEvict(all)!
    assert.strictEqual(all[gone]!.group, "one hand")
    const younger = all.filter(({ connectedAt, group }) => group === "one hand" && connectedAt > gone)
    assert.isAtMost(younger.length, 20, "younger ones are protected by something else")
  })

  it("takes a discouraged one first", () => {
    const all = crowd(80, (id) => id === 70 ? { isDiscouraged: true, keyedGroup: 2 ** 32, leastPing: 9_999 } : {})
    assert.strictEqual(peerToEvict(all), 70)
  })

  /** Eighty peers, of which the last four are of one hand; the very last one goes unless something speaks for it. */
  const withLast = (more: Partial<EvictionCandidate>): ReadonlyArray<EvictionCandidate> =>
    crowd(80, (id) => {
      const usual = { lastBlock: 10, lastTransaction: 10, keyedGroup: id }
      if (id < 76) return usual
      const worst = { ...usual, group: "one hand", leastPing: 9_999, lastBlock: 0, lastTransaction: 0 }
      return id === 79 ? { ...worst, ...more } : worst
    })

  it("of a large group the youngest goes when nothing speaks for it", () => {
    assert.strictEqual(peerToEvict(withLast({})), 79)
  })

  const REASONS: ReadonlyArray<readonly [reason: string, more: Partial<EvictionCandidate>]> = [
    ["answers pings fastest", { leastPing: 1 }],
    ["brought a block last", { lastBlock: 99 }],
    ["brought a block last, without transactions", { lastBlock: 5, relaysTransactions: false }],
    ["brought a transaction last", { lastTransaction: 99 }],
    ["is of a group that random favours", { keyedGroup: -1 }],
    ["has been here longest", { connectedAt: -1 }],
    ["comes through Tor", { network: "onion" }],
    ["comes through I2P", { network: "i2p" }],
    ["comes through CJDNS", { network: "cjdns" }],
    ["is on this machine", { isLocal: true }]
  ]
  for (const [reason, more] of REASONS) {
    it(`protects the peer that ${reason}`, () => assert.notStrictEqual(peerToEvict(withLast(more)), 79))
  }

  /** A crowd in which each peer is as good as any other, but for the one thing that is to be looked at. */
  const alike = (count: number, more: (id: number) => Partial<EvictionCandidate>): ReadonlyArray<EvictionCandidate> =>
    crowd(
      count,
      (id) => ({ keyedGroup: 5, leastPing: 500, connectedAt: 1_000, group: "one", offersBlocks: false, ...more(id) })
    )

  /** Evicts until no one is left to evict: those that stay are protected. */
  const protectedOf = (all: ReadonlyArray<EvictionCandidate>): ReadonlyArray<number> => {
    let left = all
    for (let round = 0; round <= all.length; round++) {
      const gone = peerToEvict(left)
      if (gone === undefined) return left.map(({ id }) => id)
      left = left.filter(({ id }) => id !== gone)
    }
    throw new Error("more were evicted than there are")
  }

  it("28 candidates are all protected, and of 29 the youngest is evicted", () => {
    // 4 by group, 8 by ping, 4 by transaction, 8 by block without transactions, 4 by block: none is left for age.
    const each = (id: number): Partial<EvictionCandidate> => ({
      keyedGroup: id,
      relaysTransactions: id < 16 || id >= 24
    })
    assert.isUndefined(peerToEvict(crowd(28, each)))
    assert.strictEqual(peerToEvict(crowd(29, each)), 28)
  })

  it.each<readonly [what: string, count: number, (rank: number) => Partial<EvictionCandidate>]>([
    ["groups that random favours", 4, (rank) => ({ keyedGroup: rank })],
    ["the fastest pings", 8, (rank) => ({ leastPing: rank })],
    ["the last transactions", 4, (rank) => ({ lastTransaction: 1_000 - rank })],
    [
      "the last blocks without transactions (8, and 4 as the last blocks)",
      12,
      (rank) => ({ lastBlock: 1_000 - rank, offersBlocks: true, relaysTransactions: false })
    ],
    ["the last blocks", 4, (rank) => ({ lastBlock: 1_000 - rank })],
    [
      "blocks as late as those of others, of nodes that serve blocks",
      4,
      (rank) => ({ lastBlock: 1, offersBlocks: true, connectedAt: 2_000 + rank })
    ]
  ])("%s protect so many peers, and no more: %i", (_, count, speaking) => {
    // A hundred peers of one moment; the last sixteen have more and more to say for themselves, and are the youngest.
    const all = alike(100, (id) =>
      id < 84 ?
        { keyedGroup: 2_000, lastTransaction: 1, lastBlock: 1, leastPing: 5_000 }
        : {
          keyedGroup: 3_000,
          lastTransaction: 0,
          lastBlock: 0,
          leastPing: 6_000,
          connectedAt: 2_000,
          ...speaking(99 - id)
        })
    const left = new Set(protectedOf(all))
    const kept = all.filter(({ id }) => id >= 84 && left.has(id)).map(({ id }) => id)
    assert.deepStrictEqual(kept, Array.from({ length: count }, (__, i) => 100 - count + i))
  })

  it("peers that relay transactions, or have no blocks, get no place kept for block relay", () => {
    for (
      const more of [{ relaysTransactions: true, offersBlocks: true }, {
        relaysTransactions: false,
        offersBlocks: false
      }]
    ) {
      const left = new Set(protectedOf(alike(100, (id) =>
        id < 84 ?
          { keyedGroup: 2_000, lastTransaction: 1, lastBlock: 1, leastPing: 5_000 }
          : { keyedGroup: 3_000, leastPing: 6_000, connectedAt: 2_000, lastBlock: 1_000 + id, ...more })))
      assert.strictEqual([...left].filter((id) => id >= 84).length, 4)
    }
  })

  it("half of those that nothing else protects stay for their age, a quarter for networks that are rare", () => {
    // 20 peers are protected by other things; of the other 40 half stay: ten by network, ten by age.
    const base = (id: number): Partial<EvictionCandidate> =>
      id < 4 ?
        { keyedGroup: 0 }
        : id < 12 ?
        { leastPing: 1 }
        : id < 16 ?
        { lastTransaction: 9 }
        : id < 20 ?
        { lastBlock: 9 }
        : { connectedAt: 1_000 + id }
    const plain = peerToEvict(alike(60, base))
    assert.strictEqual(plain, 59, "the youngest")
    const onions = alike(60, (id) => id >= 40 ? { ...base(id), network: "onion" } : base(id))
    // The ten oldest of the Tor peers have their places, and so have the ten oldest of all: 50 to 59 and 30 to 39 have
    // none.
    assert.strictEqual(peerToEvict(onions), 59)
    const kept = alike(60, (id) => id >= 50 ? { ...base(id), network: "onion" } : base(id))
    assert.strictEqual(peerToEvict(kept), 49, "the ten Tor peers are the youngest, and stay")
  })

  it("of groups that are as large, the one with the youngest peer loses it", () => {
    const all = alike(80, (id) =>
      id < 76
        ? { keyedGroup: 2_000, lastTransaction: 1, lastBlock: 1, leastPing: 1, group: `group ${id}` }
        : {
          keyedGroup: 3_000,
          leastPing: 6_000,
          connectedAt: 2_000 + (id === 77 ? 50 : id - 76),
          group: id % 2 === 0 ? "even" : "odd"
        })
    assert.strictEqual(peerToEvict(all), 77)
  })

  it("of equals, those that relay transactions come first, and then those without a bloom filter", () => {
    const rows: ReadonlyArray<readonly [better: Partial<EvictionCandidate>, worse: Partial<EvictionCandidate>]> = [
      [{ relaysTransactions: true, isFiltered: true }, { relaysTransactions: false, isFiltered: false }],
      [{ relaysTransactions: true, isFiltered: false }, { relaysTransactions: true, isFiltered: true }]
    ]
    for (const [better, worse] of rows) {
      // The four better ones stand among the others, so that no order in which they came favours them.
      const isBetter = (id: number): boolean => id >= 50 && id < 54
      const all = alike(60, (id) => isBetter(id) ? { connectedAt: 2_000, ...better } : worse)
      assert.deepStrictEqual(protectedOf(all).filter(isBetter), [50, 51, 52, 53])
    }
  })

  it("a peer that answered no ping yet stands behind all that did", () => {
    const answered = (id: number): boolean => id >= 50 && id < 58
    const all = alike(60, (id) => answered(id) ? { connectedAt: 2_000, leastPing: 60_000 } : { leastPing: undefined })
    assert.deepStrictEqual(protectedOf(all).filter(answered), [50, 51, 52, 53, 54, 55, 56, 57])
  })

  /** The peers that are protected by age: `networks` are those of the youngest ones, the others are of IPv4. */
  const protectedByAge = (count: number, networks: ReadonlyArray<EvictionCandidate["network"] | "local">) => {
    const all = crowd(count, (id) => {
      const network = networks[count - 1 - id]
      return network === "local" ? { isLocal: true } : network === undefined ? {} : { network }
    }).toReversed()
    const left = new Set(protectByAge(all).map(({ id }) => id))
    return all.flatMap(({ id, isLocal, network }) => left.has(id) ? [] : [isLocal ? "local" : network]).toSorted()
  }

  it("half stay for their age, of these half for rare networks, and the odd place goes to the one with fewest peers", () => {
    const ipv4 = (count: number) => Array.from({ length: count }, () => "ipv4")
    assert.deepStrictEqual(protectedByAge(4, ["onion", "local"]), ["ipv4", "local"])
    assert.deepStrictEqual(protectedByAge(7, ["onion", "local"]), ["ipv4", "ipv4", "local"])
    assert.deepStrictEqual(protectedByAge(10, ["onion", "local"]), ["ipv4", "ipv4", "ipv4", "local", "onion"])
    // Six places, three of them for networks: one each, whatever the others have.
    assert.deepStrictEqual(protectedByAge(12, ["onion", "onion", "onion", "i2p", "i2p", "cjdns"]), [
      "cjdns",
      "i2p",
      ...ipv4(3),
      "onion"
    ])
    // Sixteen places, eight for networks: what one network does not need, the others have.
    assert.deepStrictEqual(
      protectedByAge(33, [
        "cjdns",
        ...Array.from({ length: 8 }, () => "i2p" as const),
        ...Array.from({ length: 9 }, () => "onion" as const)
      ]),
      ["cjdns", ...Array.from({ length: 4 }, () => "i2p"), ...ipv4(8), "onion", "onion", "onion"]
    )
    // Of one network the longest connections stay.
    const left = protectByAge(crowd(12, (id) => id >= 6 ? { network: "onion" } : {}).toReversed())
    assert.deepStrictEqual(left.map(({ id }) => id), [11, 10, 9, 5, 4, 3])
  })

  it("never answers a peer that is not there", () => {
    for (let round = 0; round < 200; round++) {
      const all = crowd(random.below(120), (id) => ({
        connectedAt: random.below(1_000),
        leastPing: random.below(2) === 0 ? undefined : random.below(500),
        lastBlock: random.below(100),
        lastTransaction: random.below(100),
        relaysTransactions: random.below(2) === 0,
        group: `group ${random.below(1 + id)}`,
        network: (["ipv4", "onion", "i2p", "cjdns", undefined] as const)[random.below(5)],
        isLocal: random.below(9) === 0
      }))
      const gone = peerToEvict(all)
      if (gone !== undefined) assert.include(all.map(({ id }) => id), gone)
      if (all.length > 60) assert.isDefined(gone)
    }
  })
})
