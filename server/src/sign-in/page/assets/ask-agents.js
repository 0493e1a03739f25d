// Asks the agents of this computer, and hands their proofs over.
import { facts, permissionState, ports, tab } from './browser-facts.js'
import { challenge, postTo } from './server-calls.js'

export const at = (port, path) => `http://127.0.0.1:${port}${path}`

/** A port that takes a connection and says nothing is no agent. */
const helloMs = 2_500
/** When one agent has answered, others have this long. */
const graceMs = 250

/** The ports where an agent answers. Without a limit while the browser's question is open. */
export async function findAgents({ isOpenEnded = false, timeoutMs = helloMs } = {}) {
  const startedAt = performance.now()
  const control = new AbortController()
  const timer = isOpenEnded ? undefined : setTimeout(() => control.abort(), timeoutMs)
  endQuestion = () => setTimeout(() => control.abort(), timeoutMs)
  const found = []
  let refused = 0
  await new Promise((resolve) => {
    const hellos = ports.map(async (port) => {
      if (await hello(port, control.signal)) {
        found.push(port)
        setTimeout(resolve, graceMs)
      } else refused += 1
    })
    void Promise.all(hellos).then(resolve)
  })
  clearTimeout(timer)
  facts.asked = `${refused} of ${ports.length} ports refused in ${Math.round(performance.now() - startedAt)} ms`
  return found
}

let endQuestion = () => {}
/** The browser's question is answered: from now on a port may be late. */
export const noteAnsweredQuestion = () => endQuestion()

async function hello(port, signal) {
  try {
    const { status } = await fetch(at(port, '/v1/hello'), { cache: 'no-store', credentials: 'omit', signal })
    return status === 204
  } catch {
    return false
  }
}

/** Whether something answers on all ports, which no computer has: a proxy stands between. */
export async function isEveryPortForeign() {
  const answers = ports.map(async (port) => {
    try {
      const signal = AbortSignal.timeout(1_000)
      await fetch(at(port, '/v1/hello'), { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal })
      return true
    } catch {
      return false
    }
  })
  return ports.length > 1 && (await Promise.all(answers)).every(Boolean)
}

/** A challenge is asked for after the agent has answered, so that none runs out before. */
async function proofOf(port) {
  const asked = await challenge()
  if (!asked) return { refusal: 'proof_invalid' }
  try {
    const response = await fetch(at(port, '/v1/attest'), {
      method: 'POST',
      credentials: 'omit',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ challenge: asked }),
    })
    if (response.ok) return { port, proof: (await response.json()).proof }
    return { refusal: response.status === 404 ? 'agent_outdated' : 'proof_invalid' }
  } catch {
    return { refusal: 'proof_invalid' }
  }
}

/** Hands the proofs of all agents over together; resolves to what the server draws then, or to why none was accepted. */
export async function prove(found) {
  const answers = await Promise.all(found.map(proofOf))
  const proved = answers.filter(({ proof }) => proof !== undefined)
  if (proved.length === 0) return { refusal: answers[0]?.refusal ?? 'proof_invalid' }
  const answer = await handOver(proved.map(({ proof }) => proof))
  if (answer.refusal === undefined) {
    localStorage.setItem('muster-port', proved[0].port)
    // Firefox with SkipDomains asks nothing, and says for ever that it would.
    if ((await permissionState()) === 'prompt') localStorage.setItem('muster-silent', '1')
    else localStorage.removeItem('muster-silent')
  }
  return answer
}

export async function handOver(proofs, post = (body) => postTo('proof', body)) {
  const response = await post({ ...(proofs.length === 1 ? { proof: proofs[0] } : { proofs }), tab: tab() })
  const { error, region } = await response.json().catch(() => ({}))
  if (response.ok) return { region }
  // An answer that is not the server's says nothing of the proof.
  return { refusal: error?.code ?? 'proof_invalid' }
}
