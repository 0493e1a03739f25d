import type { Client, Dispatcher } from 'undici'
import { type Ending, overError } from './ending.ts'

export type Answer = {
  status: number
  retryAfter: string | undefined
  /** The beginning of the body. */
  body: Buffer
  /** Whether there is no more of it, so that the connection can carry another request. */
  isWhole: boolean
}

type Request = { path: string; headers: Readonly<Record<string, string>>; body: string | Buffer }

const readBytes = 65_536
const keptBytes = 4_096
const nothing = Buffer.alloc(0)

/**
 * POSTs on a connection; what of the answer is beyond 64 KiB is not read, which costs the connection. `onAnswer` is
 * called when it begins. Made of the callbacks below, since a stream for each answer costs more than the answer.
 */
export const requestOnce = (
  client: Client,
  { path, headers, body }: Request,
  ending: Ending,
  onAnswer: () => void,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    client.dispatch({ method: 'POST', path, headers, body }, readAnswer({ ending, onAnswer, resolve, reject }))
  })

type Reading = {
  ending: Ending
  onAnswer: () => void
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

function readAnswer({ ending, onAnswer, resolve, reject }: Reading): Dispatcher.DispatchHandler {
  let status = 0
  let retryAfter: string | undefined
  let kept: Buffer[] | undefined
  let length = 0
  const settle = (isWhole: boolean) => {
    ending.onOver = undefined
    resolve({ status, retryAfter, body: kept ? Buffer.concat(kept) : nothing, isWhole })
  }
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(overError())
      if (ending.isOver) abort()
      else ending.onOver = abort
    },
    onResponseStart(_controller, statusCode, headers) {
      // Hints before the answer.
      if (statusCode < 200) return
      status = statusCode
      const after = headers['retry-after']
      retryAfter = Array.isArray(after) ? after[0] : after
      onAnswer()
    },
    onResponseData(controller, chunk) {
      kept ??= []
      if (length < keptBytes) kept.push(chunk.subarray(0, keptBytes - length))
      length += chunk.length
      if (length <= readBytes) return
      settle(false)
      controller.abort(overError())
    },
    onResponseEnd: () => settle(true),
    onResponseError: (_controller, error) => {
      ending.onOver = undefined
      reject(error)
    },
  }
}
