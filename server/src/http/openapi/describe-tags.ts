/** What each group of operations is about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Organization: 'The organization that the key belongs to.',
  Devices: 'Computers, tablets and phones: how they stand, who owns them, who may sign in with them.',
  'Device groups': 'Groups of devices that checks target or leave out.',
  People: 'The people of the organization, and what they own and have to fix.',
  'Person groups': 'Groups of people as the identity provider keeps them.',
  Checks: 'What is examined on devices, how a failure counts, and the latest result on each device.',
  'Custom check drafts': 'Checks of the organization that are being written. Only in version 2026-04-07.',
  Issues: 'Failures of checks on devices, open and resolved.',
  'Exemption requests': 'Requests of people not to be blocked by an issue.',
  'Registration requests': 'Requests of people to register a device to them.',
  Packages: 'Installation packages that enroll devices.',
  'Live queries': 'osquery SQL that chosen devices run as soon as they are online.',
  Reporting: 'The inventory as tables, and SQL queries over it.',
  'Audit logs': 'What administrators, keys and commands have changed, newest first.',
  'Auth logs': 'Sign-ins and what decided them, newest first.',
  'Admin users': 'The administrators of the console.',
  Webhooks: 'Endpoints that events are sent to, and the log of their deliveries.',
  'Shared Signals':
    'Streams that tell receivers when the compliance of a device changes (OpenID Shared Signals Framework).',
}
