/**
 * The optional indexes: the key of `[storage.indexing]` that switches each on, its name in messages, and whether its
 * answers are read from blocks, which must not be pruned then.
 */
export const INDEXES = {
  transactionIndex: { key: "txindex", called: "the transaction index", readsBlocks: true },
  spenderIndex: { key: "txospenderindex", called: "the index of spent outputs", readsBlocks: true },
  coinStatisticsIndex: { key: "coinstatsindex", called: "the index of coin statistics", readsBlocks: false },
  blockFilterIndex: { key: "blockfilterindex", called: "the index of block filters", readsBlocks: false },
  addressIndex: { key: "enable_address_index", called: "the index of addresses", readsBlocks: false },
  valueIndex: { key: "enable_value_index", called: "the index of values", readsBlocks: false }
} as const

export type IndexSwitch = keyof typeof INDEXES

/** The indexes that the engine keeps. */
export type IndexSwitches = Readonly<Record<IndexSwitch, boolean>>

export const INDEX_SWITCHES = Object.keys(INDEXES) as ReadonlyArray<IndexSwitch>

export const indexSwitches = (isOn: (each: IndexSwitch) => boolean): IndexSwitches =>
  Object.fromEntries(INDEX_SWITCHES.map((each) => [each, isOn(each)])) as Record<IndexSwitch, boolean>

export const NO_INDEXES: IndexSwitches = indexSwitches(() => false)
