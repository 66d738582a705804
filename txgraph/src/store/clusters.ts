import { growColumns, nextLength, NONE } from "./columns.ts"

/** How good the order of a cluster is known to be. Only an ordered cluster has chunks. */
export const Quality = { unordered: 0, acceptable: 1, optimal: 2 } as const

/** The clusters of a graph, a column per field. */
export interface Clusters {
  count: number
  /** What Bitcoin Core counts for them. */
  bytes: number
  free: number
  end: number
  readonly columns: {
    /** First and last transaction of the order; of a free number, `first` leads to the next one. */
    first: Int32Array
    last: Int32Array
    size: Int32Array
    count: Uint8Array
    quality: Uint8Array
    /** Nonzero for an unordered cluster whose transactions are in the best order, only not in chunks. */
    isFinal: Uint8Array
    /** Place among the clusters of its quality, unless it is optimal. */
    listed: Int32Array
  }
  /** Clusters to be ordered, and those whose order may not be the best. */
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

/** What Bitcoin Core's allocator takes for a block. */
const blockBytes = (length: number): number => ((length + 31) >> 4) << 4

/** What Bitcoin Core counts for a cluster of so many transactions. */
export const clusterBytes = (count: number): number => {
  if (count < 2) return 72 * count
  return 2 * blockBytes(4 * count) + blockBytes(32 * count) + 136
}

/** Notes how many transactions a cluster has, and their size. */
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

/** Notes how good the order of a cluster is. */
export const setQuality = (clusters: Clusters, cluster: number, quality: number): void => {
  if (clusters.columns.quality[cluster] === quality) return
  delist(clusters, cluster)
  enlist(clusters, cluster, quality)
}

/** A number for a cluster, which is unordered and empty. */
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
