/** What a key may be granted beyond reading; each grant carries a written rationale. */
export const permissions = {
  remove_devices: {
    title: 'Remove Devices',
    description:
      'End the registration of devices, delete devices and merge two of one machine. A merge that moves an owner or exemptions also needs Manage User Requests, one that moves groups Manage Device Groups.',
  },
  manage_user_requests: {
    title: 'Manage User Requests',
    description: 'Approve or deny exemption requests and registration requests.',
  },
  manage_device_groups: {
    title: 'Manage Device Groups',
    description: 'Add devices to device groups and take them out again.',
  },
  refresh_check: {
    title: 'Refresh Check',
    description: 'Have a check run again on a device at its next contact.',
  },
  update_devices: {
    title: 'Update Devices',
    description:
      'Register devices to people, and change who may sign in with a device. Taking a device from its owner also needs Remove Devices.',
  },
  manage_people: {
    title: 'Manage People',
    description:
      'Add, deprovision and restore people whom SCIM does not provide. Deprovisioning someone who has devices also needs Remove Devices. Deprovisioning and restoring an administrator needs Manage Administrators, which keys cannot have.',
  },
  create_live_query: {
    title: 'Create Live Query',
    description: 'Create, change and delete live queries, which run on devices at once.',
  },
  manage_ssf_streams: {
    title: 'Manage Shared Signals Framework Streams',
    description: 'Create, change, test and delete streams of compliance signals.',
  },
  manage_webhooks: {
    title: 'Manage Webhooks',
    description: 'Create, change, test and delete webhook endpoints, and read and repeat what was sent to them.',
  },
  configure_checks: {
    title: 'Configure Checks',
    description: 'Change the options, targeting and remediation of checks.',
  },
  run_external_checks: {
    title: 'Run External Checks',
    description: 'Report results of external checks for devices and people.',
  },
  manage_custom_check_drafts: {
    title: 'Manage Custom Check Drafts',
    description:
      'Delete custom check drafts. In the console: also write, test and publish them, and delete custom checks.',
  },
  download_packages: {
    title: 'Download Packages',
    description:
      'Download installation packages. Each holds an enrollment secret, with which machines can be enrolled.',
  },
} as const satisfies Record<string, { title: string; description: string }>

export type Permission = keyof typeof permissions
