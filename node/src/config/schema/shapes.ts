import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Schema from "effect/Schema"
import { parseHostPort } from "../host-port.ts"
import { parseProxyPlace } from "../proxy-place.ts"
import { parseGrant } from "../../net/peer-permissions.ts"
import { parseSubnet } from "../../net/subnet.ts"
import { parseAddress, splitPort } from "../../net/endpoint-text.ts"
import { isHostName } from "../../net/named-endpoint.ts"
import { splitNode } from "../../net/written-node.ts"
import type { KeyShape } from "./key.ts"
import { writtenList, writtenTable } from "./written-value.ts"

export const asIs = (text: string): string => text

const integerFromText = (text: string): unknown => /^[+-]?\d{1,16}$/.test(text) ? Number(text) : text

const TRUE = new Set(["1", "true", "yes", "on"])
const FALSE = new Set(["0", "false", "no", "off"])

const booleanFromText = (text: string): unknown => {
  const word = text.toLowerCase()
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : text
}

export const flag: KeyShape<Schema.Boolean> = {
  schema: Schema.Boolean,
  expects: "true or false",
  fromText: booleanFromText
}

/** A text that is not empty. */
export const text = (expects: string, pattern = /\S/): KeyShape<Schema.String> => ({
  schema: Schema.String.check(Schema.isPattern(pattern)),
  expects,
  fromText: asIs
})

/** A path. `~name` is another user's home directory, which only a shell knows, so it is rejected. */
export const path: KeyShape<Schema.String> = text("a path; ~ is your own home directory", /^(?!~[^/\\])[^\0]*\S[^\0]*$/)

export const integer = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): KeyShape<Schema.Number> => ({
  schema: Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })),
  expects: maximum === Number.MAX_SAFE_INTEGER
    ? `an integer from ${minimum} up`
    : `an integer from ${minimum} to ${maximum}`,
  fromText: integerFromText
})

/**
 * Reports whether a number has at most so many decimals. The lowest unit is exact: a feerate of three decimals is
 * satoshis per 1,000 virtual bytes.
 */
const hasDecimals = (value: number, decimals: number): boolean => Number(value.toFixed(decimals)) === value

/** A number with at most so many decimals. */
export const decimal = (minimum: number, maximum: number, decimals: number): KeyShape<Schema.Number> => ({
  schema: Schema.Number.check(
    Schema.isBetween({ minimum, maximum }),
    Schema.makeFilter((value: number) => hasDecimals(value, decimals))
  ),
  expects: `a number from ${minimum} to ${maximum} with at most ${decimals} decimals`,
  fromText: (written) => /^[+-]?\d{1,16}(\.\d{1,16})?$/.test(written) ? Number(written) : written
})

const quotedList = (values: ReadonlyArray<string>): string => {
  const quoted = values.map((value) => `"${value}"`)
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

/** A choice between words. */
export const choice = <const L extends ReadonlyArray<string>>(
  values: L,
  fromText: (word: string) => string = asIs,
  meant: Readonly<Record<string, L[number]>> = {}
): KeyShape<Schema.Literals<L>> => ({
  schema: Schema.Literals(values),
  expects: quotedList(values),
  fromText,
  words: values,
  meant
})

const membersBetweenCommas = (list: string): ReadonlyArray<string> =>
  list.split(",").map((part) => part.trim()).filter((part) => part !== "")

/** A list. As one text it is written as in a file, or with commas between its members. */
export const listOf = <S extends Schema.Top>(member: KeyShape<S>): KeyShape<Schema.$Array<S>> => ({
  schema: Schema.Array(member.schema),
  expects: `a list, each member ${member.expects}`,
  fromText: (list) => writtenList(list) ?? membersBetweenCommas(list).map(member.fromText),
  member
})

/** A table of names that the operator chooses, each with a value. As one text it is written as in a file. */
export const namesTo = <S extends Schema.Top>(
  member: KeyShape<S>,
  what: string
): KeyShape<Schema.$Record<Schema.String, S>> => ({
  schema: Schema.Record(Schema.String, member.schema),
  expects: `a table from ${what} to ${member.expects}`,
  fromText: (table) => writtenTable(table) ?? table,
  named: member
})

const HOST_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const ONLY_DIGITS = /^[\d.]+$/

/** Accepts texts that name a node to connect to. */
const isNode = Schema.makeFilter((written: string) => {
  const node = splitNode(written)
  const { host, port } = (node === undefined ? undefined : splitPort(node.place, 1)) ?? { host: "", port: 0 }
  const address = parseAddress(host)
  if (port === 0) return address?.network === AddressNetwork.I2P
  return address !== undefined || (HOST_NAME.test(host) && !ONLY_DIGITS.test(host) && isHostName(host))
})

export const nodeAddress: KeyShape<Schema.String> = {
  schema: Schema.String.check(isNode),
  expects: "the address or name of a node, such as \"192.0.2.1:8333\"",
  fromText: asIs
}

const isSubnet = Schema.makeFilter((value: string) => parseSubnet(value) !== undefined)

export const subnet: KeyShape<Schema.String> = {
  schema: Schema.String.check(isSubnet),
  expects: "an address or a subnet, such as \"192.168.1.0/24\"",
  fromText: asIs
}

const isGrant = Schema.makeFilter((value: string) => parseGrant(value) !== undefined)

export const grant: KeyShape<Schema.String> = {
  schema: Schema.String.check(isGrant),
  expects:
    "relay, forcerelay, mempool or bloomfilter, or several of them, and for whom, such as \"relay,mempool@192.168.1.0/24\"",
  fromText: asIs
}

const isIpSubnet = Schema.makeFilter((value: string) => {
  const network = parseSubnet(value)?.address.network
  return network === AddressNetwork.IPV4 || network === AddressNetwork.IPV6
})

export const ipSubnet: KeyShape<Schema.String> = {
  schema: Schema.String.check(isIpSubnet),
  expects: "an IP address or a subnet, such as \"192.168.1.0/24\"",
  fromText: asIs
}

const isHostPort = Schema.makeFilter((value: string) => parseHostPort(value) !== undefined)

export const hostPort: KeyShape<Schema.String> = {
  schema: Schema.String.check(isHostPort),
  expects: "host:port, such as \"127.0.0.1:8332\" or \"[::1]:8332\"",
  fromText: asIs
}

const isProxyPlace = Schema.makeFilter((value: string) => parseProxyPlace(value) !== undefined)

export const proxyPlace: KeyShape<Schema.String> = {
  schema: Schema.String.check(isProxyPlace),
  expects: "host:port or unix: with an absolute path, such as \"127.0.0.1:9050\" or \"unix:/run/tor/socks\"",
  fromText: asIs
}
