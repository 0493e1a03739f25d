/** What a sealed key is bound to: moved to another row or table, it does not open. */
export const sealingPlace = (organizationId: string, id: string): readonly string[] => [organizationId, id, 'api_key']
