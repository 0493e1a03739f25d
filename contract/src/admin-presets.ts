import { type AdminPower, limitedPowers } from './admin-powers.ts'

/** Kinds of work that limited access is given for: what is ticked when one is chosen. */
export const adminPresets = {
  help_desk: {
    title: 'Help desk',
    description: 'Answers people whose device is blocked: decides their requests, and has checks run again.',
    powers: ['manage_user_requests', 'refresh_check'],
  },
  auditor: {
    title: 'Auditor',
    description: 'Reads, and changes nothing.',
    powers: [],
  },
  security: {
    title: 'Security',
    description: 'Decides what is checked and what blocks, and manages devices. No streams, webhooks or settings.',
    powers: [
      'remove_devices',
      'manage_user_requests',
      'manage_device_groups',
      'refresh_check',
      'update_devices',
      'create_live_query',
      'configure_checks',
      'run_external_checks',
      'manage_custom_check_drafts',
    ],
  },
} as const satisfies Record<string, { title: string; description: string; powers: readonly AdminPower[] }>

export type AdminPreset = keyof typeof adminPresets
export const adminPresetNames = Object.keys(adminPresets) as AdminPreset[]

/** What every administrator with limited access reads, and what none of them does. */
export const limitedReading = {
  reads:
    'Devices and what they report, people, checks and results, issues, requests, live queries and their answers, reports, sign-ins, streams, the audit log, and names of enrollment secrets and packages.',
  never: 'API keys, how administrators sign in, and secrets of any kind.',
} as const

/** The preset with exactly these restrictions. */
export const presetOf = (restrictions: readonly string[]): AdminPreset | undefined =>
  adminPresetNames.find((name) => {
    const powers: readonly AdminPower[] = adminPresets[name].powers
    return limitedPowers.every((power) => restrictions.includes(power) !== powers.includes(power))
  })
