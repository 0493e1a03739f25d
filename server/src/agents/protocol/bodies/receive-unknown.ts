import type { IncomingMessage } from 'node:http'
import type { Account, Reading } from '../../../base/bodies/reading.ts'
import { type Answer, failure, unknownNodeKey } from '../answers.ts'
import type { DeviceState } from '../device-registry.ts'
import type { LoadedDevice } from '../settle-schedule.ts'
import type { BodyLimits } from './body-limits.ts'
import { nodeKeyAtEnd, nodeKeyAtStart, searchedBytes } from './find-node-key.ts'
import { inflateUpTo, isGzip } from './inflate-up-to.ts'

export type Sender = DeviceState | LoadedDevice

export type Search = {
  reading: Reading<Answer>
  maxBytes: number
  limits: Pick<BodyLimits, 'maxStrangerBytes' | 'maxParsedBytes'>
  /** The device of a node key; undefined when the key is not valid. */
  authenticate: (nodeKey: string) => Promise<Sender | undefined>
  accountOf: (sender: Sender) => Account
  /** The account of a body that someone vouches for. */
  vouchedAccount: () => Account | undefined
  onSender: (sender: Sender) => void
}

const noNodeKey = failure(400, 'The body has no node key where Muster looks for one')
/** Deflate has tables before the first byte of output. */
const compressedBytes = searchedBytes + 512

async function inflatedStart(bytes: Buffer): Promise<Buffer> {
  return (await inflateUpTo(bytes.subarray(0, compressedBytes), searchedBytes, { isCut: true })).bytes
}

/**
 * Reads a body whose node key, if there is one, is inside. It is a stranger's until the key is found at its start. The
 * results of distributed queries have the key at their end, so for those someone may vouch. Nothing is parsed or
 * inflated beyond what finds the key.
 */
export function receiveUnknown(message: IncomingMessage, search: Search): void {
  const { reading, maxBytes, limits } = search
  let limitBytes = maxBytes
  let isSearched = false
  let isKnown = false

  async function admit(nodeKey: string): Promise<void> {
    const sender = await search.authenticate(nodeKey)
    if (!sender) return reading.refuse(unknownNodeKey)
    isKnown = true
    search.onSender(sender)
    reading.moveTo(search.accountOf(sender))
  }

  async function searchStart(): Promise<void> {
    isSearched = true
    const bytes = reading.bytes()
    const isCompressed = isGzip(bytes)
    const start = isCompressed ? await inflatedStart(bytes) : bytes
    const nodeKey = nodeKeyAtStart(start.toString('latin1', 0, searchedBytes))
    if (nodeKey !== undefined) await admit(nodeKey)
    else if (isCompressed) reading.refuse(noNodeKey)
    else admitVouched()
  }

  function admitVouched(): void {
    const account = search.vouchedAccount()
    if (account) {
      reading.moveTo(account)
      return
    }
    limitBytes = Math.min(maxBytes, limits.maxStrangerBytes)
    const announcedBytes = Number(message.headers['content-length'] ?? 0)
    if (announcedBytes > limitBytes) reading.refuse('too_large')
  }

  async function searchEnd(): Promise<void> {
    const nodeKey = nodeKeyAtEnd(reading.bytes())
    if (nodeKey !== undefined) await admit(nodeKey)
    else if (reading.receivedBytes() > limits.maxParsedBytes) reading.refuse(noNodeKey)
  }

  async function complete(): Promise<void> {
    if (!isSearched && isGzip(reading.bytes())) await searchStart()
    else if (isSearched && !isKnown) await searchEnd()
    reading.finish()
  }

  message.on('data', (chunk: Buffer) => {
    reading.take(chunk)
    const receivedBytes = reading.receivedBytes()
    if (receivedBytes > limitBytes) return endTooLarge()
    if (isSearched || receivedBytes < compressedBytes) return
    message.pause()
    searchStart().then(() => message.resume(), reading.fail)
  })
  message.on('end', () => {
    complete().catch(reading.fail)
  })

  function endTooLarge(): void {
    if (isKnown) reading.cut(maxBytes)
    else reading.refuse('too_large')
  }
}
