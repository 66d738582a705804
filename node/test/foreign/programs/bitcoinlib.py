"""Mines, pays and looks things up with python-bitcoinlib, by a bitcoin.conf and the cookie; prints what it found as JSON."""
import json, sys
import bitcoin, bitcoin.rpc
from bitcoin.core import COIN, CMutableTransaction, CMutableTxIn, CTxOut, COutPoint, b2lx, b2x, lx
from bitcoin.core.script import OP_CHECKSIG, OP_DUP, OP_EQUALVERIFY, OP_HASH160, SIGHASH_ALL, CScript, SignatureHash
from bitcoin.wallet import CBitcoinSecret, P2PKHBitcoinAddress

bitcoin.SelectParams("regtest")
node = bitcoin.rpc.Proxy(btc_conf_file=sys.argv[1])
secret = CBitcoinSecret.from_secret_bytes(b"\x01" * 32)
address = P2PKHBitcoinAddress.from_pubkey(secret.pub)

hashes = list(node.generatetoaddress(101, str(address)))
block = node.getblock(node.getblockhash(1))
[coinbase] = block.vtx
payment = CMutableTransaction(
    [CMutableTxIn(COutPoint(coinbase.GetTxid(), 0))], [CTxOut(49_99 * COIN // 100, address.to_scriptPubKey())]
)
script = CScript([OP_DUP, OP_HASH160, address, OP_EQUALVERIFY, OP_CHECKSIG])
digest = SignatureHash(script, payment, 0, SIGHASH_ALL)
payment.vin[0].scriptSig = CScript([secret.sign(digest) + bytes([SIGHASH_ALL]), secret.pub])
txid = node.sendrawtransaction(payment)
waiting = [b2lx(each) for each in node.getrawmempool()]
node.generatetoaddress(1, str(address))
found = node.getrawtransaction(txid, verbose=True)
output = node.gettxout(COutPoint(txid, 0))

failures = {}
for name, call in {
    "block": lambda: node.getblock(lx("00" * 32)),
    "transaction": lambda: node.getrawtransaction(lx("00" * 32)),
    "spent": lambda: node.gettxout(COutPoint(coinbase.GetTxid(), 0)),
    "again": lambda: node.sendrawtransaction(payment),
    "wallet": lambda: node.getbalance(),
}.items():
    try:
        call()
        failures[name] = None
    except Exception as error:
        failures[name] = type(error).__name__

print(json.dumps({
    "height": node.getblockcount(),
    "mined": len(hashes),
    "first": b2lx(block.GetHash()),
    "payment": b2x(payment.serialize()),
    "txid": b2lx(txid),
    "waiting": waiting,
    "confirmations": found["confirmations"],
    "same": found["tx"] == payment,
    "amount": output["txout"].nValue,
    "chain": node.call("getblockchaininfo")["chain"],
    "failures": failures,
}))
