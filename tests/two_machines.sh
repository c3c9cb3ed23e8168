#!/bin/bash
# Runs a program on ranks of two machines, `first` and `second`, which are made of this one: each is a set of namespaces of Linux, with a host
# name, a network card and shared memory (/dev/shm) of its own, and the second with process IDs of its own. They see the same files. Only root
# can make them.
#
#     tests/two_machines.sh mpirun.mpich -np 3 clamps -in in.lj
#     tests/two_machines.sh mpirun.openmpi -np 3 clamps -in in.lj
#
# The launcher runs on the first machine, in the place of this process, and starts ranks on the other one through this script, as through
# ssh. Ranks are on the machines in turn. The folder HIDDEN is empty on the second machine. Both machines go when the launcher ends.
set -eu
self=$(realpath "$0")

begin() { # a machine of this name
    hostname "$1"
    mount -t tmpfs tmpfs /dev/shm
    mount -t sysfs sysfs /sys # MPICH looks for network cards there
}

case ${MACHINE-} in
    '')
        MACHINE=first exec unshare --mount --uts --ipc --net "$0" "$@"
        ;;
    second)
        begin second
        [ -z "${HIDDEN-}" ] || mount -t tmpfs tmpfs "$HIDDEN"
        echo ready
        exec sleep infinity
        ;;
    ssh) # [OPTIONS] HOST COMMAND...: little of the environment comes along
        while [[ $1 = -* ]]; do shift; done
        enter=()
        [ "$1" = first ] || enter=(nsenter --target "$SECOND" --mount --uts --ipc --net --pid)
        shift
        exec "${enter[@]}" env -i HOME="$HOME" PATH="$PATH" sh -c "$*"
        ;;
esac

launcher=$1
shift
begin first
names=$(mktemp)
printf '127.0.0.1 localhost\n10.0.0.1 first\n10.0.0.2 second\n' >"$names"
mount --bind "$names" /etc/hosts
rm "$names"

# The second machine, whose first process is killed with this one.
exec {its_words}< <(MACHINE=second exec setpriv --pdeathsig KILL \
    unshare --mount --uts --ipc --net --pid --mount-proc --fork --kill-child "$0")
second=$!
read -r -u "$its_words"
read -r SECOND <"/proc/$second/task/$second/children" || : # it has no end of line
# Of one number at both ends, Linux would look for a second whether they are connected.
ip link add card index 101 type veth peer name card index 102 netns "$SECOND"
on_second=(nsenter --target "$SECOND" --mount --net)
card() { # ADDRESS, and what goes to its machine
    "${@:2}" ip address add "$1/24" dev card
    "${@:2}" ip link set card up
    "${@:2}" ip link set lo up
}
card 10.0.0.1
card 10.0.0.2 "${on_second[@]}"
for on in env "${on_second[*]}"; do
    until [ "$($on cat /sys/class/net/card/operstate)" = up ]; do sleep 0.01; done
done

export MACHINE=ssh SECOND
case $launcher in
    *mpich)
        exec "$launcher" -launcher ssh -launcher-exec "$self" -hosts first,second -ppn 1 "$@"
        ;;
    *openmpi)
        # Of the environment MPICH hands on all, this one what it is told to. Its files are in what goes with a machine.
        for name in ${!CLAMPS_*} COMPILER_PATH RUST_LOG; do
            [ -z "${!name-}" ] || set -- -x "$name" "$@"
        done
        set -- --host first:99,second:99 --map-by node --bind-to none "$@"
        exec "$launcher" --allow-run-as-root --mca plm_rsh_agent "$self" --mca orte_tmpdir_base /dev/shm "$@"
        ;;
    *)
        echo "$launcher is neither mpirun.mpich nor mpirun.openmpi" >&2
        exit 1
        ;;
esac
