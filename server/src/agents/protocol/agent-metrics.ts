import { Counter, Gauge } from 'prom-client'

export type AgentMetrics = ReturnType<typeof agentMetrics>

type Counts = { devices: () => number; waiting: { enrollments: () => number; recordings: () => number } }

/** In no registry: the process that serves metrics registers `all`. */
export function agentMetrics({ devices, waiting }: Counts) {
  const statusLines = new Counter({
    name: 'muster_agent_status_lines_total',
    help: 'Errors that agents have logged, by severity: error, fatal, other.',
    labelNames: ['severity'] as const,
    registers: [],
  })
  const enrollments = new Counter({
    name: 'muster_agent_enrollments_total',
    help: 'Enrollments by outcome: new, again, refused (its secret), identity_conflict, busy (too many at the same time), gone (the agent hung up while it waited).',
    labelNames: ['outcome'] as const,
    registers: [],
  })
  const answers = new Counter({
    name: 'muster_agent_answers_total',
    help: 'Answers to checks and live queries: recorded, refused (not asked, too late, outdated), failed, too_large.',
    labelNames: ['outcome'] as const,
    registers: [],
  })
  const snapshots = new Counter({
    name: 'muster_agent_snapshots_total',
    help: 'Tables that devices reported: changed, unchanged, outdated (a later one is stored), ignored (not asked), failed.',
    labelNames: ['outcome'] as const,
    registers: [],
  })
  const drainedLogs = new Counter({
    name: 'muster_agent_drained_logs_total',
    help: 'Log batches that were taken off the agent without being used in full: too_large (the lines that did not fit are lost), unreadable, unknown (no known sender).',
    labelNames: ['reason'] as const,
    registers: [],
  })
  const replacedBodies = new Counter({
    name: 'muster_agent_bodies_not_utf8_total',
    help: 'Bodies of agents with bytes that are not UTF-8: they were taken, with U+FFFD in place of those bytes.',
    registers: [],
  })
  const refusedBodies = new Counter({
    name: 'muster_agent_refused_bodies_total',
    help: 'Bodies of agents that were not taken, by the status of the answer: 400, 401, 408 (too slow), 413, 503 (memory).',
    labelNames: ['status'] as const,
    registers: [],
  })
  const bodyBytes = new Gauge({
    name: 'muster_agent_body_bytes',
    help: 'Memory that bodies of agents hold, by share: header (known by the node key in the header), body (in the body), stranger, enrollment.',
    labelNames: ['share'] as const,
    registers: [],
  })
  const enrollmentsWaiting = new Gauge({
    name: 'muster_agent_enrollments_waiting',
    help: 'Machines that wait for their turn to enroll.',
    registers: [],
    collect() {
      this.set(waiting.enrollments())
    },
  })
  const rememberedDevices = new Gauge({
    name: 'muster_agent_remembered_devices',
    help: 'Devices whose schedule this process holds in memory.',
    registers: [],
    collect() {
      this.set(devices())
    },
  })
  const recordingsWaiting = new Gauge({
    name: 'muster_agent_recordings_waiting',
    help: 'Writes of devices whose results wait to be recorded. From 2,048 of an organization on they are refused with 503.',
    registers: [],
    collect() {
      this.set(waiting.recordings())
    },
  })
  return {
    statusLines,
    enrollments,
    answers,
    snapshots,
    drainedLogs,
    replacedBodies,
    refusedBodies,
    bodyBytes,
    all: [
      statusLines,
      enrollments,
      answers,
      snapshots,
      drainedLogs,
      replacedBodies,
      refusedBodies,
      bodyBytes,
      enrollmentsWaiting,
      rememberedDevices,
      recordingsWaiting,
    ],
  }
}
