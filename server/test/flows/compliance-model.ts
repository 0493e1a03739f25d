/** What the rules say, told once more without database or product code, to hold the product against. */

export type Strategy = 'block_immediately' | 'warn_then_block' | 'notify_only' | 'report_only'
export type State = 'good' | 'notified' | 'will_block' | 'blocked'
export type Token = 'PASS' | 'FAIL' | 'UNKNOWN' | 'INAPPLICABLE' | 'ERROR'

/** Group lists hold `macos`, `windows`, `linux` and names of groups. */
export type ModelConfiguration = {
  strategy: Strategy
  graceDays: number
  isPaused: boolean
  targeted: string[]
  excluded: string[]
  blockingAllowed: string[]
  blockingExcluded: string[]
  /** The value of the check's one option. */
  option: number
}
/** What a check says of a device; `revision` of the query that gave the status. */
export type ModelResult = {
  /** What it is unless exempted. */
  status: string
  revision: number
  /** The values that failed in the last run. */
  failing: (string | null)[]
  exemption: { until: number | null } | null
  snoozedAt: number | null
}
export type ModelIssue = {
  check: number
  value: string | null
  detectedAt: number
  since: number | null
  blocksAt: number | null
  isExemptedOnRequest: boolean
}
export type ModelDevice = {
  labels: string[]
  owner: number | null
  /** Whom someone else took it from: they have to ask for it. */
  takenFrom: Set<number>
  /** Whose registration of it was suspended when it ended: it is suspended again if it comes back to them. */
  doubted: Set<number>
  registeredAt: number
  isSuspended: boolean
  isDeleted: boolean
  /** By check, for the targeted ones. */
  results: Map<number, ModelResult>
  open: ModelIssue[]
  opened: number
  state: State
  willBlockAt: number | null
  signalled: 'compliant' | 'not-compliant' | null
}
export type ModelExemptionRequest = {
  device: number
  issues: ModelIssue[]
  status: 'open' | 'withdrawn' | 'approved' | 'denied'
}
export type ModelRegistrationRequest = { device: number; person: number; status: 'pending' | 'approved' | 'denied' }
export type Model = {
  now: number
  devices: ModelDevice[]
  checks: { configuration: ModelConfiguration; revision: number; isKeyed: boolean; beginsAt: number | null }[]
  trustUsed: boolean[]
  exemptionRequests: ModelExemptionRequest[]
  registrationRequests: ModelRegistrationRequest[]
}

export const [deviceCount, checkCount, personCount] = [3, 2, 2]
export const dayMs = 86_400_000
export const newResult = (revision: number): ModelResult => ({
  status: 'pending',
  revision,
  failing: [],
  exemption: null,
  snoozedAt: null,
})
export const isExempted = (device: ModelDevice, { check, isExemptedOnRequest }: ModelIssue): boolean =>
  isExemptedOnRequest || (device.results.get(check)?.exemption ?? null) !== null
const firstOf = (order: readonly Token[], tokens: readonly Token[]) => order.find((token) => tokens.includes(token))
const statusOf = {
  FAIL: 'failing',
  ERROR: 'errored',
  UNKNOWN: 'unknown',
  PASS: 'passing',
  INAPPLICABLE: 'inapplicable',
}
const hits = (labels: readonly string[], list: readonly string[]) => list.some((entry) => labels.includes(entry))
const admits = (labels: readonly string[], included: readonly string[], excluded: readonly string[]) =>
  !hits(labels, excluded) && (included.length === 0 || hits(labels, included))

/** Decides when the open issues of a device block; `check` for those of one check only. */
export function decide(model: Model, device: ModelDevice, check?: number): void {
  for (const issue of device.open) {
    if (check !== undefined && issue.check !== check) continue
    const { configuration, beginsAt } = at(model.checks, issue.check)
    const snoozedAt = device.results.get(issue.check)?.snoozedAt ?? null
    const snoozedUntil = snoozedAt === null ? 0 : snoozedAt + dayMs
    const { strategy, graceDays, isPaused, blockingAllowed, blockingExcluded } = configuration
    const isBlocking = strategy === 'block_immediately' || strategy === 'warn_then_block'
    const isEffective = isBlocking && !isPaused && admits(device.labels, blockingAllowed, blockingExcluded)
    issue.since = isEffective ? (issue.since ?? model.now) : null
    const base = Math.max(issue.detectedAt, issue.since ?? 0, device.registeredAt)
    const grace = strategy === 'warn_then_block' ? graceDays * dayMs : 0
    const canBlock = isEffective && device.owner !== null && !isExempted(device, issue)
    issue.blocksAt = canBlock ? Math.max(base + grace, beginsAt ?? 0, snoozedUntil) : null
  }
}

/** Brings what the check targets, and what is stale, in line with its configuration on a device. */
export function target(model: Model, device: ModelDevice, check: number): void {
  const { configuration, revision } = at(model.checks, check)
  const isTargeted = admits(device.labels, configuration.targeted, configuration.excluded)
  const result = device.results.get(check)
  if (isTargeted && !result) device.results.set(check, newResult(revision))
  if (!isTargeted && result) {
    device.results.delete(check)
    device.open = device.open.filter((issue) => issue.check !== check)
  }
  if (isTargeted && result && result.revision !== revision && result.status !== 'pending') result.status = 'stale'
}

export type Row = { value: string; token: Token }

/** Whether the run is accepted. */
export function run(model: Model, device: ModelDevice, check: number, rows: readonly Row[], isOld: boolean): boolean {
  const { configuration, revision, isKeyed } = at(model.checks, check)
  const result = device.results.get(check)
  if (device.isDeleted || !result || configuration.isPaused || isOld) return false
  const tokens = rows.map((row) => row.token)
  const token = firstOf(['FAIL', 'ERROR', 'UNKNOWN', 'PASS', 'INAPPLICABLE'], tokens) ?? 'ERROR'
  const byValue = Map.groupBy(rows, (row) => (isKeyed ? row.value : null))
  const failing = [...byValue].flatMap(([value, own]) => (own.some((row) => row.token === 'FAIL') ? [value] : []))
  device.results.set(check, { ...result, status: statusOf[token], revision, failing })
  const isWhole = rows.length > 0 && !tokens.includes('ERROR') && !tokens.includes('UNKNOWN')
  device.open = device.open.filter((issue) => {
    if (issue.check !== check) return true
    const own = byValue.get(issue.value)?.map((row) => row.token)
    if (!own) return !isWhole
    return !own.every((said) => said === 'PASS' || said === 'INAPPLICABLE')
  })
  if (result.exemption === null) openMissing(model, device, check, failing)
  decide(model, device, check)
  return true
}

function openMissing(model: Model, device: ModelDevice, check: number, failing: readonly (string | null)[]): void {
  for (const value of failing) {
    if (device.open.some((issue) => issue.check === check && issue.value === value)) continue
    const moments = { detectedAt: model.now, since: null, blocksAt: null }
    device.open.push({ check, value, ...moments, isExemptedOnRequest: false })
    device.opened += 1
  }
}

/** Has a check count on a device again. */
export function endExemption(model: Model, device: ModelDevice, check: number, result: ModelResult): void {
  result.exemption = null
  if (result.status === 'failing') openMissing(model, device, check, result.failing)
  decide(model, device)
}

/** Ends the exemptions whose time is up, and says whether there were any. */
export function expire(model: Model): boolean {
  let isAny = false
  for (const device of model.devices) {
    if (device.isDeleted) continue
    for (const [check, result] of device.results) {
      const until = result.exemption?.until ?? null
      if (until === null || until > model.now) continue
      endExemption(model, device, check, result)
      isAny = true
    }
  }
  return isAny
}

/** Makes the device the person's, whoever had it; `isDecided` where an administrator approves of it. */
export function register(model: Model, device: ModelDevice, person: number, isDecided = false): void {
  const { owner } = device
  const isSuspended = device.doubted.delete(person) && !isDecided
  Object.assign(device, { owner: person, registeredAt: model.now, isSuspended })
  device.takenFrom.delete(person)
  if (owner !== null) device.takenFrom.add(owner)
  model.trustUsed[person] = true
  if (owner !== null && !hasDevice(model, owner)) model.trustUsed[owner] = false
  decide(model, device)
}

/** The state that the open issues of a device make now, and what is signalled of it. */
export function settle(model: Model, device: ModelDevice): void {
  if (device.isDeleted) return
  const fresh = stateOf(model, device)
  const aged: typeof fresh =
    device.willBlockAt !== null && device.willBlockAt <= model.now
      ? [3, null]
      : [rank(device.state), device.willBlockAt]
  const [severity, willBlockAt] = device.isSuspended && !isWorse(fresh, aged) ? aged : fresh
  device.state = at(states, severity)
  device.willBlockAt = willBlockAt
  if (device.owner === null) return
  const compliance = device.state === 'blocked' ? 'not-compliant' : 'compliant'
  if (compliance !== (device.signalled ?? 'compliant')) device.signalled = compliance
}

const states: State[] = ['good', 'notified', 'will_block', 'blocked']
const rank = (state: State) => states.indexOf(state)
type Settled = [severity: number, willBlockAt: number | null]

const isWorse = ([one, oneAt]: Settled, [other, otherAt]: Settled) =>
  one > other || (one === other && oneAt !== null && otherAt !== null && oneAt < otherAt)

function stateOf(model: Model, device: ModelDevice): Settled {
  if (device.owner === null) return [0, null]
  const moments = device.open.flatMap((issue) => issue.blocksAt ?? [])
  if (moments.some((moment) => moment <= model.now)) return [3, null]
  if (moments.length > 0) return [2, Math.min(...moments)]
  const isNotified = device.open.some((issue) => {
    const { strategy, isPaused } = at(model.checks, issue.check).configuration
    return strategy !== 'report_only' && !isPaused && !isExempted(device, issue)
  })
  return [isNotified ? 1 : 0, null]
}

export const hasDevice = (model: Model, person: number): boolean =>
  model.devices.some((device) => device.owner === person && !device.isDeleted)

export function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`There is nothing at ${index}`)
  return item
}
