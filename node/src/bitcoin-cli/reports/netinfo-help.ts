/** Output of `-netinfo help`. */
export const NETINFO_HELP = `-netinfo [level [outonly]] | help

Shows the connections of the node. The table and the counts are for people; programs read getpeerinfo and getnetworkinfo.

Arguments
  level     0 (if left out): counts only. 1: a row for each peer. 2: with its address. 3: with its version. 4: with both.
  outonly   Also "o". Rows for outbound peers alone; needs a level of 1 to 4.
  help      Also "h". This text.

Columns
  <->       Direction: in or out
  type      full, block (blocks only), manual, feeler, addr (fetches addresses), priv (private broadcast)
  net       ipv4, ipv6, onion, i2p, cjdns, or npr (not publicly routable)
  serv      Services, a letter each: n network, b bloom, w witness, c compact filters, l limited network, 2 encrypted transport
  v         Version of the transport; empty until it is known
  mping     Lowest ping in milliseconds
  ping      Last ping in milliseconds
  send      Seconds since the last message to the peer
  recv      Seconds since the last message from the peer
  txn       Minutes since its last accepted transaction; * for a peer that wants none
  blk       Minutes since its last accepted block
  hb        High-bandwidth compact blocks: . to the peer, * from it
  addrp     Addresses taken; . for a peer that exchanges none
  addrl     Addresses dropped by the rate limit
  age       Minutes since the connection was made
  asmap     Autonomous system, where a map of them is in use
  id        Number of the peer
  address   Address and port
  version   Protocol version and user agent

Counts are by network, of all, of block-relay-only peers (block), and of manual ones where there are any.

Examples
  bitcoin-cli -netinfo
  bitcoin-cli -netinfo 4
  bitcoin-cli -netinfo 1 outonly
  watch --interval 1 bitcoin-cli -netinfo 4`
