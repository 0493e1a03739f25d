/**
 * What a service that reads a whole machine can do without. Nothing here makes a mount namespace, or hides devices or
 * files: the tables of mounts, disks and homes would answer differently in the service than outside of it.
 */
export const serviceHardening = `NoNewPrivileges=yes
UMask=0077
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_PACKET
SystemCallArchitectures=native
SystemCallFilter=~@clock @cpu-emulation @module @mount @obsolete @reboot @swap
SystemCallErrorNumber=EPERM
CapabilityBoundingSet=~CAP_SYS_MODULE CAP_SYS_BOOT CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD CAP_LINUX_IMMUTABLE CAP_MAC_ADMIN CAP_MAC_OVERRIDE CAP_AUDIT_CONTROL CAP_WAKE_ALARM
KeyringMode=private
LimitCORE=0
TasksMax=128
`
