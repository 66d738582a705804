/**
 * Wallet methods, which this node lacks but the called node may have. Lists the parameters that are JSON, by position.
 * A name without a position can only be given by name.
 */
export const WALLET_CONVERSIONS: Readonly<Record<string, string>> = {
  bumpfee: "1:options conf_target fee_rate replaceable outputs original_change_index",
  createwallet: "1:disable_private_keys 2:blank 4:avoid_reuse 5:descriptors 6:load_on_startup 7:external_signer",
  createwalletdescriptor: "1:options internal",
  fundrawtransaction:
    "1:options 2:iswitness add_inputs include_unsafe minconf maxconf changePosition includeWatching lockUnspents fee_rate feeRate subtractFeeFromOutputs input_weights conf_target replaceable solving_data max_tx_weight",
  getbalance: "1:minconf 2:include_watchonly 3:avoid_reuse",
  gethdkeys: "0:options active_only private",
  getreceivedbyaddress: "1:minconf 2:include_immature_coinbase",
  getreceivedbylabel: "1:minconf 2:include_immature_coinbase",
  gettransaction: "1:include_watchonly 2:verbose",
  importdescriptors: "0:requests",
  keypoolrefill: "0:newsize",
  listdescriptors: "0:private",
  listreceivedbyaddress: "0:minconf 1:include_empty 2:include_watchonly 4:include_immature_coinbase",
  listreceivedbylabel: "0:minconf 1:include_empty 2:include_watchonly 3:include_immature_coinbase",
  listsinceblock: "1:target_confirmations 2:include_watchonly 3:include_removed 4:include_change",
  listtransactions: "1:count 2:skip 3:include_watchonly",
  listunspent:
    "0:minconf 1:maxconf 2:addresses 3:include_unsafe 4:query_options minimumAmount maximumAmount maximumCount minimumSumAmount include_immature_coinbase",
  loadwallet: "1:load_on_startup",
  lockunspent: "0:unlock 1:transactions 2:persistent",
  psbtbumpfee: "1:options conf_target fee_rate replaceable outputs original_change_index",
  rescanblockchain: "0:start_height 1:stop_height",
  restorewallet: "2:load_on_startup",
  send:
    "0:outputs 1:conf_target 3:fee_rate 4:options 5:version add_inputs include_unsafe minconf maxconf add_to_wallet change_position include_watching inputs locktime lock_unspents psbt subtract_fee_from_outputs solving_data max_tx_weight replaceable",
  sendall:
    "0:recipients 1:conf_target 3:fee_rate 4:options 5:version add_to_wallet include_watching inputs locktime lock_unspents psbt send_max minconf maxconf replaceable solving_data",
  sendmany: "1:amounts 2:minconf 4:subtractfeefrom 5:replaceable 6:conf_target 8:fee_rate 9:verbose",
  sendtoaddress: "1:amount 4:subtractfeefromamount 5:replaceable 6:conf_target 8:avoid_reuse 9:fee_rate 10:verbose",
  setwalletflag: "1:value",
  signrawtransactionwithwallet: "1:prevtxs",
  simulaterawtransaction: "0:rawtxs 1:options include_watchonly",
  unloadwallet: "1:load_on_startup",
  walletcreatefundedpsbt:
    "0:inputs 1:outputs 2:locktime 3:options 4:bip32derivs 5:version add_inputs include_unsafe minconf maxconf changePosition includeWatching lockUnspents fee_rate feeRate subtractFeeFromOutputs conf_target replaceable solving_data max_tx_weight",
  walletpassphrase: "1:timeout",
  walletprocesspsbt: "1:sign 3:bip32derivs 4:finalize"
}
