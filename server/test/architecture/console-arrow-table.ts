/** What the pages of every feature are made of. */
const ground = ['components', 'api']

/** What several features of developers are made of. */
const developers = ['developers', ...ground]

const featureArrows: Readonly<Record<string, readonly string[]>> = {
  // How someone gets in.
  gates: ['account', ...ground],
  account: ['shell', ...ground],

  dashboard: ['devices', 'checks', 'enroll', 'webhooks', 'streams', ...ground],
  settings: ['devices', 'checks', 'audit', 'enroll', 'shell', ...ground],
  devices: ['people', 'issues', 'checks', 'sign-ins', 'reporting', 'audit', ...ground],
  'live-queries': ['groups', ...ground],
  groups: ['people', ...ground],
  people: ['issues', 'sign-ins', 'audit', ...ground],
  issues: ['checks', ...ground],
  drafts: ['checks', ...ground],
  checks: ['audit', ...ground],
  requests: [...ground],
  'sign-ins': [...ground],
  reporting: [...ground],
  enroll: [...ground],

  'sign-in': [...developers],
  webhooks: ['audit', ...developers],
  streams: ['audit', ...developers],
  keys: [...developers],

  audit: [...ground],
}

/**
 * The folders and files of console/src, read top to bottom: each imports itself and what is listed beside it, which
 * stands below it. What two features share goes down, and what knows two features goes up.
 */
export const consoleArrows: Readonly<Record<string, readonly string[]>> = {
  'main.tsx': ['router.ts', 'gates', 'shell', 'components', 'api', 'theme'],
  'router.ts': ['routes', 'shell', 'api'],
  // Every address and the page that it shows.
  routes: [...Object.keys(featureArrows), 'shell', ...ground],
  ...featureArrows,
  developers: ['components'],
  // What stands around a page.
  shell: [...ground],
  components: ['api'],
  api: [],
  theme: [],
  'css.d.ts': [],
}
