import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts, does } = rowsOf("Connection options")

/** Options about peers and connections. */
export const CONNECTION: ReadonlyArray<CoreOption> = [
  does("addnode", "=<ip>", "Keep a connection to this node", { list: true, networkOnly: true, example: "192.0.2.1" }),
  does("asmap", "=<file>", "Group addresses by who routes them", { example: "ip_asn.map" }),
  does("bantime", "=<n>", "Seconds that a ban lasts unless a call says otherwise", { example: "60" }),
  does("bind", "=<addr>[:<port>][=onion]", "Listen for other nodes at this address", {
    list: true,
    networkOnly: true,
    example: "127.0.0.1:18555"
  }),
  does("capturemessages", "", "Keep all messages of peers in files", { shown: "debug" }),
  does("checkaddrman", "=<n>", "Check the table of addresses at one in so many looks at it", {
    shown: "debug",
    example: "1"
  }),
  does("cjdnsreachable", "", "Take fc00::/8 for CJDNS, and connect to it"),
  does("connect", "=<ip>", "Connect to this node alone; 0: to none", {
    list: true,
    networkOnly: true,
    example: "192.0.2.1"
  }),
  does("discover", "", "Find and announce own addresses", { example: "0" }),
  does("dns", "", "Look up the names of nodes that are given", { example: "0" }),
  does("dnsseed", "", "Ask name servers for addresses of nodes", { example: ["-signet", "-dnsseed=0"] }),
  does("externalip", "=<ip>", "An own address to announce", { list: true, example: "8.8.8.8" }),
  does("fixedseeds", "", "Take built-in addresses where no others are found", {
    example: ["-signet", "-fixedseeds=0"]
  }),
  does("forcednsseed", "", "Ask name servers at once, although addresses are known"),
  does("i2pacceptincoming", "", "Accept I2P connections, at an address that stays", {
    example: ["-i2psam=127.0.0.1:7656", "-i2pacceptincoming=0"]
  }),
  does("i2psam", "=<ip>[:<port>]", "The I2P router, which speaks SAM 3.1", { example: "127.0.0.1:7656" }),
  does("listen", "", "Accept connections of other nodes", { example: "0" }),
  does("listenonion", "", "Make an onion service through Tor's control port", { example: "0" }),
  does("maxconnections", "=<n>", "The most connections", { example: "40" }),
  does("maxreceivebuffer", "=<n>", "Kilobytes of a peer that may wait before no more is read from it", {
    example: "1000"
  }),
  does("maxsendbuffer", "=<n>", "Kilobytes for a peer that may wait before no more of it is handled", {
    example: "2000"
  }),
  does("maxuploadtarget", "=<n>", "MiB that may be sent in a day", { example: "500" }),
  accepts("natpmp", "", "Have the router forward the port", "the node asks routers for nothing"),
  does("networkactive", "", "Whether the network is on; setnetworkactive turns it on and off", { example: "0" }),
  does("onion", "=<ip:port|path>", "The proxy for Tor's onion services; 0: none", { example: "127.0.0.1:9050" }),
  does("onlynet", "=<net>", "Choose peers in this network alone", { list: true, example: "ipv4" }),
  does("peerblockfilters", "", "Serve compact block filters to peers", {
    example: ["-blockfilterindex", "-peerblockfilters"]
  }),
  does("peerbloomfilters", "", "Serve bloom filters to peers"),
  does("peertimeout", "=<n>", "Seconds after which a silent new peer is disconnected", {
    shown: "debug",
    example: "10"
  }),
  does("port", "=<port>", "The port for other nodes", { networkOnly: true, example: "18555" }),
  does("privatebroadcast", "", "Send own transactions to single peers through Tor or I2P alone", {
    example: ["-proxy=127.0.0.1:9050", "-privatebroadcast"]
  }),
  does("proxy", "=<ip>[:<port>]|unix:<path>[=<network>]", "Connect through this SOCKS5 proxy", {
    list: true,
    noElision: true,
    example: "127.0.0.1:9050"
  }),
  does("proxyrandomize", "", "Other credentials for each connection through the proxy", {
    example: "0"
  }),
  does("seednode", "=<ip>", "Fetch addresses from this node", {
    list: true,
    example: "seed.example.org"
  }),
  does("timeout", "=<n>", "Milliseconds to connect in; 0 or less: 5000", { example: "1000" }),
  does("torcontrol", "=<ip>[:<port>]", "The control port of Tor", { example: "127.0.0.1:9052" }),
  does("torpassword", "=<pass>", "The password of that port", { sensitive: true, example: "secret" }),
  does("txreconciliation", "", "Agree with peers to reconcile transactions (BIP330); they are announced all the same", {
    shown: "debug"
  }),
  does("uacomment", "=<cmt>", "Append this to the user agent", { list: true, example: "home" }),
  does("v2transport", "", "Speak the encrypted transport (BIP324)", { example: "0" }),
  does("whitebind", "=<[permissions@]addr>", "Listen at this address, and trust those who connect there", {
    list: true,
    example: "noban@127.0.0.1:18777"
  }),
  does("whitelist", "=<[permissions@]IP>", "Give permissions to peers of an address or subnet", {
    list: true,
    example: "noban@127.0.0.1"
  }),
  does("whitelistforcerelay", "", "Peers with permissions by default have known transactions relayed again", {
    example: ["-whitelist=127.0.0.1", "-whitelistforcerelay"]
  }),
  does("whitelistrelay", "", "Peers with permissions by default may relay in blocks-only mode", {
    example: ["-whitelist=127.0.0.1", "-whitelistrelay=0"]
  })
]
