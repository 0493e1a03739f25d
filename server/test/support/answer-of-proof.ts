/** What a sign-in says of a proof, besides what its page shows then. */
export function answerOfProof(text: string): { state?: string; error?: { code: string; detail?: string } } {
  const { region: _, ...answer } = JSON.parse(text) as { region?: string; state?: string; error?: { code: string } }
  return answer
}
