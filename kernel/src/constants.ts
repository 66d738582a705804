/**
 * Every number a rule of this kernel compares with, each under its id of `spec/rules/constants.md`.
 * The trace check evaluates that table and compares it with these exports.
 */

/** Largest value a compact size may carry as a length, in bytes. @spec CST-001 */
export const MAX_SIZE = 0x02000000
/** Largest amount, in satoshis. @spec CST-002 */
export const MAX_MONEY = 2_100_000_000_000_000n
/** Largest weight of a block, in weight units. @spec CST-003 */
export const MAX_BLOCK_WEIGHT = 4_000_000
/** Weight units a byte outside the witness counts. @spec CST-004 */
export const WITNESS_SCALE_FACTOR = 4
/** Most a block's signature operations may cost. @spec CST-005 */
export const MAX_BLOCK_SIGOPS_COST = 80_000

/** Longest script that is evaluated outside tapscript, in bytes. @spec CST-010 */
export const MAX_SCRIPT_SIZE = 10_000
/** Longest stack element, in bytes. @spec CST-011 */
export const MAX_SCRIPT_ELEMENT_SIZE = 520
/** Most opcodes above OP_16 in one script outside tapscript. @spec CST-012 */
export const MAX_OPS_PER_SCRIPT = 201
/** Most elements on both stacks together. @spec CST-013 */
export const MAX_STACK_SIZE = 1_000
/** Most public keys in one multisig. @spec CST-014 */
export const MAX_PUBKEYS_PER_MULTISIG = 20
/** Longest number operand, in bytes. @spec CST-015 */
export const MAX_SCRIPT_NUMBER_SIZE = 4
/** Longest lock time operand, in bytes: the whole uint32 range needs five. @spec CST-016 */
export const MAX_LOCKTIME_NUMBER_SIZE = 5
/** Lock times below are heights, others Unix seconds. @spec CST-017 */
export const LOCKTIME_THRESHOLD = 500_000_000
/** Sequence number that switches an input's locks off. @spec CST-018 */
export const SEQUENCE_FINAL = 0xffffffff
/** Sequence bit that switches the relative lock off. @spec CST-019 */
export const SEQUENCE_LOCKTIME_DISABLE_FLAG = 0x80000000
/** Sequence bit that makes the relative lock count time. @spec CST-020 */
export const SEQUENCE_LOCKTIME_TYPE_FLAG = 0x00400000
/** Sequence bits that hold the relative lock. @spec CST-021 */
export const SEQUENCE_LOCKTIME_MASK = 0x0000ffff
/** Seconds of one unit of a relative time lock, as a power of two. @spec CST-022 */
export const SEQUENCE_LOCKTIME_GRANULARITY = 9

/** Bits of the first control byte that name the leaf version. @spec CST-030 */
export const TAPROOT_LEAF_MASK = 0xfe
/** Leaf version of tapscript. @spec CST-031 */
export const TAPSCRIPT_LEAF_VERSION = 0xc0
/** Control block without path: parity byte and internal key. @spec CST-032 */
export const TAPROOT_CONTROL_BASE_SIZE = 33
/** One step of the path. @spec CST-033 */
export const TAPROOT_CONTROL_NODE_SIZE = 32
/** Longest path. @spec CST-034 */
export const TAPROOT_CONTROL_MAX_NODE_COUNT = 128
/** First byte of an annex. @spec CST-035 */
export const ANNEX_TAG = 0x50
/** Budget a checked signature costs in tapscript, in weight units. @spec CST-036 */
export const VALIDATION_WEIGHT_PER_SIGOP_PASSED = 50
/** Budget every tapscript input starts with beyond its witness size. @spec CST-037 */
export const VALIDATION_WEIGHT_OFFSET = 50

/** Shortest coinbase script, in bytes. @spec CST-040 */
export const MIN_COINBASE_SCRIPT_SIZE = 2
/** Longest coinbase script, in bytes. @spec CST-041 */
export const MAX_COINBASE_SCRIPT_SIZE = 100

/** Maximum seconds by which a header may be ahead of the clock. @spec CST-050 */
export const MAX_FUTURE_BLOCK_TIME = 7_200
/** Maximum seconds by which the first block of a period may be behind its parent under BIP94. @spec CST-051 */
export const MAX_TIMEWARP = 600
/** Height from which coinbases of blocks before BIP34 can come up again, so that the shortcut ends. @spec CST-052 */
export const BIP34_IMPLIES_BIP30_LIMIT = 1_983_702
/** Time that must lie, by its work, on top of a block whose scripts are assumed to hold, in seconds. @spec CST-056 */
export const ASSUMED_VALID_BURIAL = 1_209_600
/** Blocks that must be on top of a coinbase before its outputs may be spent. @spec CST-053 */
export const COINBASE_MATURITY = 100
/** `startTime` of a deployment that is active from the first period on. @spec CST-054 */
export const ALWAYS_ACTIVE = -1
/** `startTime` of a deployment that never starts. @spec CST-055 */
export const NEVER_ACTIVE = -2
