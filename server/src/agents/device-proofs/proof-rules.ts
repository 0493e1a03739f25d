import { isGoodNow, minuteMs } from '../../base/time.ts'

/** By the server's clock. */
export const challengeLifeMs = minuteMs
/** One for each port that a page asks. */
export const maxOpenChallenges = 6

/** Why a proof is refused (docs/companion-protocol.md). */
export const proofRefusals = [
  ...(['malformed', 'wrong_type', 'wrong_algorithm', 'unknown_key', 'invalid_signature', 'wrong_origin'] as const),
  ...(['wrong_session', 'unknown_nonce', 'expired', 'wrong_challenge', 'not_linked', 'device_deleted'] as const),
  'relayed',
] as const

export type ProofRefusal = (typeof proofRefusals)[number]

export type Peer = { uid: number; program: string | null }

export type Proof = {
  nonce: string
  sid: string
  aud: string
  challenge_hash: string
  epoch: string
  iat: number | undefined
  via: string
  peer: Peer | undefined
  /** How many people are logged in on the device; undefined where its companion cannot tell. */
  people: number | undefined
}

/** Where a proof has to come from and when. */
export type Asked = { sid: string; origin: string; now: string }
export type GivenChallenge = { challengeHash: Buffer; givenAt: string }

/** What is wrong with where a proof says that it is for; nothing where all is right. */
export function judgePlace(proof: Proof, { sid, origin }: Asked): ProofRefusal | undefined {
  if (proof.aud !== origin) return 'wrong_origin'
  return proof.sid === sid ? undefined : 'wrong_session'
}

/** What is wrong with a proof as the answer to the challenge that its nonce was given with. */
export function judgeAnswer(
  proof: Proof,
  given: GivenChallenge | undefined,
  { now }: Pick<Asked, 'now'>,
): ProofRefusal | undefined {
  if (!given) return 'unknown_nonce'
  const endsAtMs = Date.parse(given.givenAt) + challengeLifeMs
  if (!isGoodNow(endsAtMs, challengeLifeMs, Date.parse(now))) return 'expired'
  return given.challengeHash.toString('base64url') === proof.challenge_hash ? undefined : 'wrong_challenge'
}

/** Programs that pass a connection on from elsewhere: what is behind them is not a browser of this machine. */
const relays: ReadonlySet<string> = new Set([
  ...['sshd', 'sshd-session', 'ssh', 'dropbear', 'dropbearmulti', 'autossh', 'wslrelay', 'wslhost', 'rootlesskit'],
  ...[
    'socat',
    'nc',
    'ncat',
    'nc.openbsd',
    'nc.traditional',
    'netcat',
    'redir',
    'rinetd',
    'portfwd',
    'stunnel',
    'stunnel4',
  ],
  ...[
    'docker-proxy',
    'kubectl',
    'gost',
    'chisel',
    'frpc',
    'frps',
    'ngrok',
    'cloudflared',
    'tailscaled',
    'haproxy',
    'nginx',
  ],
  // What carries the connections of containers and virtual machines to a Mac.
  ...['com.docker.backend', 'com.docker.vpnkit', 'vpnkit', 'limactl', 'orbstack helper', 'gvproxy'],
  ...['adb', 'xinetd', 'systemd-socket-proxyd', 'slirp4netns', 'pasta', 'passt', 'bore', 'rathole', 'ssf', 'iproxy'],
])

export const isRelay = ({ peer }: Proof): boolean =>
  peer?.program != null && relays.has(peer.program.toLowerCase().replace(/\.exe$/, ''))

const browsers: ReadonlySet<string> = new Set([
  ...['chrome', 'chromium', 'chromium-browser', 'headless_shell', 'chrome-headless-shell', 'chromium-headless-shell'],
  ...['brave', 'msedge', 'vivaldi', 'vivaldi-bin', 'opera', 'firefox', 'firefox-esr', 'firefox-bin', 'librewolf'],
  ...['waterfox', 'floorp', 'zen', 'zen-bin', 'epiphany', 'webkitnetworkprocess', 'falkon', 'qtwebengineprocess'],
  // On a Mac a process of its own speaks to the network for Safari and for those that are built on Chromium.
  ...[
    'com.apple.webkit.networking',
    'google chrome helper',
    'google chrome beta helper',
    'google chrome canary helper',
  ],
  ...[
    'chromium helper',
    'microsoft edge helper',
    'brave browser helper',
    'vivaldi helper',
    'opera helper',
    'arc helper',
  ],
])

/** Whether the process that asked for a proof is a browser that is known by name. */
export const isBrowser = ({ peer }: Pick<Proof, 'peer'>): boolean =>
  peer?.program != null && browsers.has(peer.program.toLowerCase().replace(/\.exe$/, ''))
