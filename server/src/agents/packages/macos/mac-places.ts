/** Of the LaunchDaemon and, as the package's identifier, of its receipt. */
export const macLabel = 'com.muster.companion'

/** Where the program lies, below a folder that only root writes; without a slash in front, as in an archive. */
export const macHome = 'opt/muster-companion'

/** What belongs to this Mac: its key, the file that links it, and the configuration. Read by root alone. */
export const macState = '/Library/Application Support/Muster'

export const macPlaces = {
  program: `/${macHome}/companion.mjs`,
  node: `/${macHome}/bin/node`,
  /** What the LaunchDaemon starts, and people type. */
  command: `/${macHome}/muster-companion`,
  uninstall: `/${macHome}/uninstall.sh`,
  config: `${macState}/config`,
  /** Which script has installed what is there; a package takes it away with the configuration. */
  installed: `${macState}/config/installed`,
  daemon: `/Library/LaunchDaemons/${macLabel}.plist`,
  log: '/var/log/muster-companion.log',
  rotation: '/etc/newsyslog.d/muster-companion.conf',
  /** By which newsyslog tells the companion that its log is another file now. */
  processId: '/var/run/muster-companion.pid',
} as const
