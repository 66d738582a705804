import { growColumns, nextLength, NONE } from "./columns.ts"

/** Known quality of a cluster's order. Only an ordered cluster has chunks. */
export const Quality = { unordered: 0, acceptable: 1, optimal: 2 } as const

/** The clusters of a graph, one column per field. */
export interface Clusters {
  count: number
  /** Bytes that Bitcoin Core counts for them. */
  bytes: number
  free: number
  end: number
  readonly columns: {
    /** First and last transaction of the order. For a free number, `first` is the next free one. */
    first: Int32Array
    last: Int32Array
    size: Int32Array
    count: Uint8Array
    quality: Uint8Array
    /** Nonzero for an unordered cluster whose transactions are in optimal order but not in chunks yet. */
    isFinal: Uint8Array
    /** Index among the clusters of its quality, unless it is optimal. */
    listed: Int32Array
  }
  /** Clusters to be ordered, and those whose order may not be optimal. */
  readonly unordered: Array<number>
  readonly acceptable: Array<number>
}

export const noClusters = (): Clusters => ({
  count: 0,
  bytes: 0,
  free: NONE,
  end: 0,
  columns: {
    first: new Int32Array(0),
    last: new Int32Array(0),
    size: new Int32Array(0),
    count: new Uint8Array(0),
    quality: new Uint8Array(0),
    isFinal: new Uint8Array(0),
    listed: new Int32Array(0)
  },
  unordered: [],
  acceptable: []
})

/** Returns the bytes that Bitcoin Core's allocator uses for a block. */
const blockBytes = (length: number): number => ((length + 31) >> 4) << 4

/** Returns the bytes that Bitcoin Core counts for a cluster of `count` transactions. */
export const clusterBytes = (count: number): number => {
  if (count < 2) return 72 * count
  return 2 * blockBytes(4 * count) + blockBytes(32 * count) + 136
}

/** Sets the number and the total size of a cluster's transactions. */
export const setExtent = (clusters: Clusters, cluster: number, count: number, size: number): void => {
  const { columns } = clusters
  clusters.bytes += clusterBytes(count) - clusterBytes(columns.count[cluster]!)
  columns.count[cluster] = count
  columns.size[cluster] = size
}

const listOf = (clusters: Clusters, quality: number): Array<number> | undefined => {
  if (quality === Quality.unordered) return clusters.unordered
  return quality === Quality.acceptable ? clusters.acceptable : undefined
}

const enlist = (clusters: Clusters, cluster: number, quality: number): void => {
  const list = listOf(clusters, quality)
  clusters.columns.quality[cluster] = quality
  if (list !== undefined) clusters.columns.listed[cluster] = list.push(cluster) - 1
}

const delist = (clusters: Clusters, cluster: number): void => {
  const { listed, quality } = clusters.columns
  const list = listOf(clusters, quality[cluster]!)
  const last = list?.pop()
  if (list === undefined || last === undefined || last === cluster) return
  list[listed[cluster]!] = last
  listed[last] = listed[cluster]!
}

/** Sets the known quality of a cluster's order. */
export const setQuality = (clusters: Clusters, cluster: number, quality: number): void => {
  if (clusters.columns.quality[cluster] === quality) return
  delist(clusters, cluster)
  enlist(clusters, cluster, quality)
}

/** Allocates a number for a cluster, which is unordered and empty. */
export const allotCluster = (clusters: Clusters): number => {
  clusters.count++
  const { columns } = clusters
  let cluster = clusters.free
  if (cluster === NONE) {
    if (clusters.end === columns.first.length) growColumns(columns, nextLength(clusters.end))
    cluster = clusters.end++
  } else clusters.free = columns.first[cluster]!
  columns.first[cluster] = columns.last[cluster] = NONE
  columns.isFinal[cluster] = 0
  columns.size[cluster] = columns.count[cluster] = 0
  enlist(clusters, cluster, Quality.unordered)
  return cluster
}

export const freeCluster = (clusters: Clusters, cluster: number): void => {
  delist(clusters, cluster)
  setExtent(clusters, cluster, 0, 0)
  clusters.count--
  clusters.columns.first[cluster] = clusters.free
  clusters.free = cluster
}
