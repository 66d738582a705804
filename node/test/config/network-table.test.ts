import { assert, describe, it } from "@effect/vitest"
import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import {
  NETWORK_ROWS,
  NETWORK_TABLE,
  networkOfOption,
  networkOfProtocolVersion
} from "../../src/config/network-table.ts"
import { parseProxyPlace, printProxyPlace, proxiesOf, socketPath } from "../../src/config/proxy-place.ts"

describe("the networks of the configuration", () => {
  it.each<readonly [name: NetworkName, option: string, version: string, p2p: number, rpc: number, directory: string]>([
    ["mainnet", "mainnet", "BitcoinV1", 8_333, 8_332, ""],
    ["testnet3", "testnet", "Testnet3", 18_333, 18_332, "testnet3"],
    ["testnet4", "testnet4", "Testnet4", 48_333, 48_332, "testnet4"],
    ["signet", "signet", "Signet", 38_333, 38_332, "signet"],
    ["regtest", "regtest", "Regtest", 18_444, 18_443, "regtest"]
  ])("have the names, ports and directory of Bitcoin Core: %s", (name, option, version, p2p, rpc, directory) => {
    const row = NETWORK_TABLE[name]
    assert.deepStrictEqual(row, {
      name,
      option,
      protocolVersion: version,
      listen: { host: "0.0.0.0", port: p2p },
      rpc: { host: "127.0.0.1", port: rpc },
      coreDirectory: directory
    })
    assert.strictEqual(networkOfOption(option), row)
    assert.strictEqual(networkOfProtocolVersion(version), row)
    assert.include(NETWORK_ROWS, row)
  })

  it("are no others", () => {
    assert.lengthOf(NETWORK_ROWS, 5)
    for (const name of ["", "main", "Mainnet", "testnet3"]) assert.isUndefined(networkOfOption(name), name)
    for (const version of ["", "mainnet", "bitcoinv1"]) assert.isUndefined(networkOfProtocolVersion(version), version)
  })
})

describe("the place of a proxy", () => {
  const longest = `/${"x".repeat(106)}`

  it.each([
    ["127.0.0.1:9050", { host: "127.0.0.1", port: 9_050 }],
    ["[::1]:9050", { host: "::1", port: 9_050 }],
    ["unix:/run/tor/socks", { path: "/run/tor/socks" }],
    [`unix:${longest}`, { path: longest }]
  ])("is read from %s and printed so", (text, place) => {
    assert.deepStrictEqual(parseProxyPlace(text), place)
    assert.strictEqual(printProxyPlace(place), text)
  })

  it.each(["", "127.0.0.1", "unix:", "unix:run/tor", "unix:/a\0b", `unix:${longest}x`, "Unix:/run"])(
    "is not in %j",
    (text) => assert.isUndefined(parseProxyPlace(text))
  )

  it("as a socket is limited by the bytes of its path, not its characters", () => {
    assert.strictEqual(socketPath(`unix:/${"ä".repeat(53)}`), `/${"ä".repeat(53)}`)
    assert.isUndefined(socketPath(`unix:/${"ä".repeat(54)}`))
    assert.isUndefined(socketPath("/run"))
  })

  it("of onion services is their own where there is one, and that of everything else otherwise", () => {
    const [tor, all] = [{ path: "/tor" }, { host: "127.0.0.1", port: 1 }]
    const of = (onionProxy: typeof tor | undefined) => proxiesOf({ peers: { onionProxy, proxy: all } } as never)
    assert.deepStrictEqual(of(tor), { ipv4: all, ipv6: all, cjdns: all, names: all, onion: tor })
    assert.deepStrictEqual(of(undefined), { ipv4: all, ipv6: all, cjdns: all, names: all, onion: all })
    const standIn = { network: { proxies: { onion: tor } } }
    assert.deepStrictEqual(proxiesOf({ peers: { proxy: all }, standIn } as never) as unknown, { onion: tor })
  })
})
