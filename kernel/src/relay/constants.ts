/** The numbers of relay policy (spec/policy/parameters.md). No block is judged by one of them. */

/** Lowest version that is relayed. @spec CST-101 */
export const TX_MIN_STANDARD_VERSION = 1
/** Highest version that is relayed. @spec CST-102 */
export const TX_MAX_STANDARD_VERSION = 3
/** Heaviest transaction that is relayed. @spec CST-103 */
export const MAX_STANDARD_TX_WEIGHT = 400_000
/** Least bytes without witness: 64 would look like an inner node of a merkle tree. @spec CST-104 */
export const MIN_STANDARD_TX_NONWITNESS_SIZE = 65
/** Longest scriptSig: a script hash of 15 compressed keys. @spec CST-105 */
export const MAX_STANDARD_SCRIPTSIG_SIZE = 1_650
/** Most keys of a multisig outside a script hash. @spec CST-106 */
export const MAX_STANDARD_MULTISIG_KEYS = 3
/** Most outputs of a transaction that are dust. @spec CST-107 */
export const MAX_DUST_OUTPUTS_PER_TX = 1
/** Bytes that spending an output takes. @spec CST-108 */
export const DUST_SPEND_SIZE = 148
/** Bytes that spending a witness program takes, its witness at a quarter. @spec CST-109 */
export const DUST_WITNESS_SPEND_SIZE = 67

/** Most signature operations that the inputs of a transaction may run outside witnesses. @spec CST-110 */
export const MAX_TX_LEGACY_SIGOPS = 2_500
/** Most signature operations of a redeem script. @spec CST-111 */
export const MAX_P2SH_SIGOPS = 15
/** Highest signature operation cost of a transaction: a fifth of a block's. @spec CST-112 */
export const MAX_STANDARD_TX_SIGOPS_COST = 16_000
/** Longest witness script of version 0. @spec CST-113 */
export const MAX_STANDARD_P2WSH_SCRIPT_SIZE = 3_600
/** Most items below a witness script of version 0. @spec CST-114 */
export const MAX_STANDARD_P2WSH_STACK_ITEMS = 100
/** Longest of those items. @spec CST-115 */
export const MAX_STANDARD_P2WSH_STACK_ITEM_SIZE = 80
/** Longest item below a tapscript. @spec CST-116 */
export const MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE = 80

/** Version of transactions that are topologically restricted until confirmation (BIP431). @spec CST-120 */
export const TRUC_VERSION = 3
/** Largest of them. @spec CST-121 */
export const TRUC_MAX_VSIZE = 10_000
/** Largest of them that spends an unconfirmed one. @spec CST-122 */
export const TRUC_CHILD_MAX_VSIZE = 1_000
/** Most ancestors of one of them, itself counted. @spec CST-123 */
export const TRUC_ANCESTOR_LIMIT = 2
/** Most descendants of one of them, itself counted. @spec CST-124 */
export const TRUC_DESCENDANT_LIMIT = 2

/** Most clusters that the direct conflicts of a replacement may lie in. @spec CST-131 */
export const MAX_REPLACEMENT_CANDIDATES = 100
/** Highest sequence number that signals (BIP125). @spec CST-132 */
export const MAX_BIP125_RBF_SEQUENCE = 0xfffffffd

/** Most transactions of a package. @spec CST-140 */
export const MAX_PACKAGE_COUNT = 25
/** Heaviest package of more than one transaction. @spec CST-141 */
export const MAX_PACKAGE_WEIGHT = 404_000
