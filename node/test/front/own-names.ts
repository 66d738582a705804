/** What only `lockstep` calls a setting or a command: none of it helps who started `bitcoind`. */
const OWN_NAMES = [
  /\[[a-z][a-z0-9_.]*\]\.[a-z][a-z0-9_]*/,
  /\bnode\.toml\b/,
  /\bNODE_(?!NETWORK|BLOOM|WITNESS|COMPACT|P2P|NONE|GETUTXO)[A-Z_]+/,
  /(?:^|[\s"'`(])--(?!data-binary|user|header|interval)[a-z]+(?:-[a-z]+)*/,
  /\blockstep (?:start|rpc|config|status|health|sync|import|rebuild|verify|version|migrate|load)\b/,
  /\b(?:database_backend|dbcache_mb|tor_control|i2p_sam|onion_proxy|persistent_peers|transport_preference)\b/
]

/** The first name in a text that `bitcoind` does not know; none: there is none. */
export const ownName = (text: string): string | undefined => {
  for (const pattern of OWN_NAMES) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return found
  }
  return undefined
}
