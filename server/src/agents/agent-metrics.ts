import { Counter, Gauge } from 'prom-client'

export type AgentMetrics = ReturnType<typeof agentMetrics>

/** In no registry: whoever serves metrics registers `all`. */
export function agentMetrics(rememberedDevices: () => number) {
  const statusLines = new Counter({
    name: 'muster_agent_status_lines_total',
    help: 'Warnings and errors that agents have logged, by severity.',
    labelNames: ['severity'] as const,
    registers: [],
  })
  const enrollments = new Counter({
    name: 'muster_agent_enrollments_total',
    help: 'Enrolments by outcome: new, again, refused.',
    labelNames: ['outcome'] as const,
    registers: [],
  })
  const answers = new Counter({
    name: 'muster_agent_answers_total',
    help: 'Answers to checks and live queries: recorded, refused (not asked, too late, outdated), failed.',
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
    help: 'Log batches that could not be used and were taken off the agent all the same.',
    registers: [],
  })
  const devices = new Gauge({
    name: 'muster_agent_remembered_devices',
    help: 'Devices whose schedule this process holds in memory.',
    registers: [],
    collect() {
      this.set(rememberedDevices())
    },
  })
  return {
    statusLines,
    enrollments,
    answers,
    snapshots,
    drainedLogs,
    all: [statusLines, enrollments, answers, snapshots, drainedLogs, devices],
  }
}
