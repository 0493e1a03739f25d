export const modeWords = {
  only_registered_owner: 'Registered owner only',
  only_registered_owner_or_group_members: 'Registered owner and groups',
  anyone: 'Anyone',
} as const
