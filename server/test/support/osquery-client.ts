import http from 'node:http'
import https from 'node:https'
import { gzipSync } from 'node:zlib'

/** How osquery's TLS plugin takes an answer. It never looks at the status. */
export type Verdict =
  | { accepted: true; body: Record<string, unknown>; status: number; text: string }
  | { accepted: false; fault: 'redirect' | 'not_json' | 'error' | 'node_invalid'; status: number; text: string }

export type OsqueryQuirks = {
  /** Agents before 5.23 send the node key in the body only. */
  sendsHeader?: boolean
  /** Before 5.10 statuses are texts, and an empty result is an empty text. */
  writesOldForms?: boolean
  compressesLogs?: boolean
  /** A request that broke on a kept-alive connection goes a second time, whether it arrived or not. */
  sendsTwice?: boolean
  /** osquery 5.23 opens a connection for each request, whatever the server says of keeping one. */
  keepsConnection?: boolean
  basePath?: string
}

export type QueryResult = { rows?: Record<string, string>[]; status?: number; message?: string }

/** A machine as its enrollment describes it; what is not given is that of a Debian laptop. */
export type Machine = {
  uuid?: string
  serial?: string
  hostIdentifier?: string
  hostname?: string
  platformType?: string
  osVersion?: Record<string, string>
  system?: Record<string, string>
}

/** An agent with the habits of osquery, on real connections of its own. */
export function osqueryClient(origin: string, quirks: OsqueryQuirks = {}) {
  const { sendsHeader = true, writesOldForms = false, compressesLogs = false, basePath = '/api/v1/osquery' } = quirks
  const { Agent } = origin.startsWith('https:') ? https : http
  const connection = new Agent({ keepAlive: quirks.keepsConnection ?? false, maxSockets: 1 })
  let nodeKey = ''
  const asked: string[][] = []
  const unsent: Record<string, Record<string, unknown>> = { queries: {}, statuses: {}, messages: {}, stats: {} }

  async function call(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Verdict> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const authorized = sendsHeader && nodeKey !== '' && path !== '/enroll'
    const send = () =>
      post(connection, origin + basePath + path, bytes, {
        ...headers,
        ...(authorized && { authorization: `NodeKey ${nodeKey}` }),
      })
    const [first, second] = quirks.sendsTwice ? await Promise.all([send(), send()]) : [await send(), undefined]
    const verdict = judge(second ?? first)
    if (!verdict.accepted && verdict.fault === 'node_invalid') nodeKey = ''
    return verdict
  }

  /** The write that carries everything that no write has delivered yet. */
  async function write(results: Record<string, QueryResult>): Promise<Verdict> {
    for (const [name, { rows = [], status = 0, message = '' }] of Object.entries(results)) {
      Object.assign(unsent['queries'] ?? {}, { [name]: writesOldForms && rows.length === 0 ? '' : rows })
      Object.assign(unsent['statuses'] ?? {}, { [name]: writesOldForms ? String(status) : status })
      Object.assign(unsent['messages'] ?? {}, { [name]: message })
      Object.assign(unsent['stats'] ?? {}, { [name]: { wall_time_ms: 3, user_time: 1, system_time: 1, memory: 40960 } })
    }
    const { stats, ...rest } = unsent
    // osquery adds the key when everything else is there, and its objects keep that order.
    const body = { ...rest, ...(writesOldForms ? {} : { stats }), node_key: nodeKey }
    const verdict = await call('/distributed/write', body)
    if (verdict.accepted) for (const part of Object.keys(unsent)) unsent[part] = {}
    return verdict
  }

  async function read() {
    const verdict = await call('/distributed/read', { node_key: nodeKey })
    if (!verdict.accepted) return { verdict, queries: {}, accelerate: undefined }
    const { queries, accelerate } = verdict.body
    const usable = usableQueries(queries)
    asked.push(Object.values(usable))
    return {
      verdict,
      queries: usable,
      accelerate: Number.isInteger(accelerate) ? accelerate : undefined,
    }
  }

  return {
    call,
    read,
    write,
    /** What each read has brought, in their order. */
    asked,
    /** Its process has ended, and with it what no write has delivered. */
    forget(): void {
      for (const part of Object.keys(unsent)) unsent[part] = {}
    },
    get nodeKey() {
      return nodeKey
    },
    set nodeKey(key: string) {
      nodeKey = key
    },
    async enroll(secret: string, machine: Machine = {}): Promise<Verdict> {
      const verdict = await call('/enroll', enrollBody(secret, machine))
      const key = verdict.accepted ? (verdict.body['node_key'] ?? verdict.body['id']) : undefined
      if (typeof key === 'string') nodeKey = key
      return verdict
    },
    config: () => call('/config', { node_key: nodeKey }),
    log(type: 'result' | 'status', lines: unknown[]): Promise<Verdict> {
      const body = Buffer.from(JSON.stringify({ node_key: nodeKey, log_type: type, data: lines }))
      return compressesLogs ? call('/log', gzipSync(body), { 'content-encoding': 'gzip' }) : call('/log', body)
    },
    /** Reads until nothing is asked anymore, and answers each query. Returns how many there were. */
    async answerAll(answer: (sql: string) => QueryResult): Promise<number> {
      for (let answered = 0; ; ) {
        const { queries } = await read()
        const entries = Object.entries(queries)
        if (entries.length === 0) return answered
        await write(Object.fromEntries(entries.map(([name, sql]) => [name, answer(sql)])))
        answered += entries.length
      }
    },
    close: () => connection.destroy(),
  }
}

/** osquery stops at the first query that is empty or no text, and loses the rest. */
function usableQueries(queries: unknown): Record<string, string> {
  const usable: Record<string, string> = {}
  for (const [name, sql] of Object.entries(typeof queries === 'object' && queries !== null ? queries : {})) {
    if (name === '' || typeof sql !== 'string' || sql === '') break
    usable[name] = sql
  }
  return usable
}

function judge({ status, text }: { status: number; text: string }): Verdict {
  if (status === 304) return { accepted: false, fault: 'redirect', status, text }
  if (text === '') return { accepted: true, body: {}, status, text }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { accepted: false, fault: 'not_json', status, text }
  }
  if (typeof body !== 'object' || body === null) return { accepted: false, fault: 'not_json', status, text }
  const fields = body as Record<string, unknown>
  if (fields['node_invalid'] === true) return { accepted: false, fault: 'node_invalid', status, text }
  if ('error' in fields) return { accepted: false, fault: 'error', status, text }
  return { accepted: true, body: fields, status, text }
}

const timeoutMs = 16_000

function post(agent: http.Agent, url: string, bytes: Buffer, headers: Record<string, string>) {
  const { request: ask } = url.startsWith('https:') ? https : http
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = ask(url, {
      method: 'POST',
      agent,
      timeout: timeoutMs,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'osquery/5.23.1',
        'content-length': bytes.length,
        ...headers,
      },
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      response.on('error', reject)
    })
    request.on('timeout', () => request.destroy(new Error('No answer within 16 s')))
    request.on('error', reject)
    request.end(bytes)
  })
}

const debian = {
  name: 'Debian GNU/Linux',
  version: '12 (bookworm)',
  major: '12',
  minor: '0',
  patch: '0',
  build: '',
  platform: 'debian',
  platform_like: '',
  codename: 'bookworm',
  arch: 'x86_64',
}

/** The body of an enrollment, by osquery's own example; every value of the details is a text. */
export function enrollBody(secret: string, machine: Machine = {}) {
  const { uuid = '4C4C4544-0042-3510-8056-B4C04F4D4E32', serial = 'PF3ABCDE', hostname = 'ana-x1' } = machine
  return {
    enroll_secret: secret,
    host_identifier: machine.hostIdentifier ?? uuid,
    platform_type: machine.platformType ?? '9',
    host_details: {
      os_version: machine.osVersion ?? debian,
      osquery_info: { uuid, instance_id: '0b1f7e52', version: '5.23.1', build_platform: 'linux', platform_mask: '9' },
      system_info: {
        hostname,
        uuid,
        cpu_brand: 'Intel(R) Core(TM) Ultra 7',
        hardware_vendor: 'LENOVO',
        hardware_model: '21CBCTO1WW',
        hardware_version: 'ThinkPad X1 Carbon Gen 10',
        hardware_serial: serial,
        board_serial: 'L1HF2AB01CD',
        computer_name: hostname,
        local_hostname: hostname,
        ...machine.system,
      },
      platform_info: { vendor: 'LENOVO', version: 'N3AET82W (1.47 )', date: '03/12/2025', firmware_type: 'uefi' },
    },
  }
}
