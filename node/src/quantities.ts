import type * as Brand from "effect/Brand"

/*
 * Times by unit, where seconds and milliseconds meet: one of them where the other is meant does not compile. The
 * kernel's times are plain numbers, so that a branded one fits wherever a rule takes it.
 */

/** Whole seconds since 1970, as headers, bans, addresses and `setmocktime` have them. */
export type UnixSeconds = number & Brand.Brand<"UnixSeconds">

/** Milliseconds since 1970, as clocks and timers have them. */
export type UnixMilliseconds = number & Brand.Brand<"UnixMilliseconds">

/** A length of time. The name says the unit, which no brand does: lengths are computed with more than they are handed on. */
export type Seconds = number

/** A length of time, as timers and intervals take it. */
export type Milliseconds = number

/**
 * A moment, in milliseconds of the clock that the field names; 0: never, Infinity: not at all, where the field says so.
 * Without a brand: moments of one clock are computed from each other.
 */
export type Moment = number

/** A number that is known to be seconds since 1970: of a file, a message, a call or a header. */
export const unixSeconds = (seconds: number): UnixSeconds => seconds as UnixSeconds

/** A number that is known to be milliseconds since 1970. */
export const unixMilliseconds = (milliseconds: number): UnixMilliseconds => milliseconds as UnixMilliseconds

/** The whole seconds of a time. */
export const secondsOf = (time: UnixMilliseconds): UnixSeconds => unixSeconds(Math.floor(time / 1_000))

/** A time of whole seconds in milliseconds. */
export const millisecondsOf = (time: UnixSeconds): UnixMilliseconds => unixMilliseconds(time * 1_000)
