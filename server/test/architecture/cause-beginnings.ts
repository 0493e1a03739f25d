/** What may begin a cause besides a request. A job continues with the one that it was queued with. */
export type Beginning = 'person' | 'clock' | 'device'

/** The files that begin a cause, and why they may. */
export const causeBeginnings: Readonly<Record<string, readonly Beginning[]>> = {
  // By a system's change, which has no request behind it: a clock.
  'server/src/base/change-context.ts': ['person', 'clock'],
  // Its sweeps; each of its jobs has the cause of who queued it.
  'server/src/worker.ts': ['clock'],
  'server/src/administration/registrations/assign-owners-by-account.ts': ['clock'],
  'server/src/administration/registrations/end-identity-conflicts.ts': ['clock'],
  'server/src/administration/requests/end-requests-of-leavers.ts': ['clock'],
  'server/src/agents/protocol/refuse-unconfirmed-nodes.ts': ['clock'],
  'server/src/sign-in/connections/refresh-request-keys.ts': ['clock'],
  'server/src/signals/webhooks/deliver/give-up-endpoint.ts': ['clock'],
  'server/src/agents/protocol/record-runs.ts': ['device'],
  'server/src/agents/protocol/take-link-files.ts': ['device'],
  'server/src/reporting/record-snapshots.ts': ['device'],
  // The proof of a device, at a sign-in of anyone.
  'server/src/agents/companion-keys/confirm-suspended.ts': ['device'],
  'server/src/agents/companion-keys/note-epoch.ts': ['device'],
  // Whoever starts the service, or runs a command.
  'server/src/first-start.ts': ['person'],
  'server/src/access/sessions/first-run-link.ts': ['person'],
  'server/src/agents/packages/ensure-packages.ts': ['person'],
  'server/src/cli/demo/set-up-organization.ts': ['person'],
  'server/src/cli/demo/start-site.ts': ['person'],
}
