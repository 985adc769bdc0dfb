#!/usr/bin/env python3
"""Runs test programs on an emulated computer with AVX-512.

Bochs carries out every instruction in software, so the host needs no special
processor. The guest is a Linux kernel whose initial file system holds the
programs, the libraries they are linked with and input files, nothing else.
Their output comes over the serial line. Exit code 0 if all passed, 77 if
something is missing here (ctest: skipped), else 1. With KILN_SKIP_NOTHING set,
as in continuous integration, what is missing is a failure too.
"""
import argparse
import os
import pty
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

# Its processor; Bochs 2.7 knows no wider one with a plain AVX-512.
MODEL = "corei7_skylake_x"
ISOLINUX = Path("/usr/lib/ISOLINUX/isolinux.bin")
LDLINUX = Path("/usr/lib/syslinux/modules/bios/ldlinux.c32")
BIOS = Path("/usr/share/bochs/BIOS-bochs-latest")
VGA_BIOS = Path("/usr/share/bochs/VGABIOS-lgpl-latest")

# What the guest needs not do costs time; the rest, by name:
#   noxsaves, clearcpuid=xsavec: the model's size of the compact form of the
#     vector registers is not the one Linux computes, which would then use none;
#   reboot=t: a triple fault, which ends the emulation;
#   norandmaps: every run takes the same memory, as chance would not.
COMMAND_LINE = ("console=ttyS0,115200 quiet panic=-1 reboot=t noxsaves clearcpuid=xsavec "
                "acpi=off pci=off edd=off nokaslr norandmaps mitigations=off cryptomgr.notests "
                "initcall_blacklist=trace_eval_init,load_system_certificate_list")


def missing(kernel):
    """What the emulation needs and is not there."""
    tools = [t for t in ("bochs", "xorriso", "ldd") if not shutil.which(t)]
    return tools + [str(f) for f in (kernel, ISOLINUX, LDLINUX, BIOS, VGA_BIOS) if not f.is_file()]


def libraries(program):
    """The shared libraries that a program loads, at the paths it looks for."""
    listed = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True)
    found = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", listed.stdout, re.M)
    if "not found" in listed.stdout or not found:
        raise SystemExit(f"{program} lacks a library:\n{listed.stdout}")
    return found


class Archive:
    """An initial file system: the "newc" form of cpio."""

    def __init__(self):
        self.data = bytearray()
        self.names = set()

    def add(self, name, mode, data=b"", device=(0, 0)):
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent:
            self.add(parent, 0o40755)
        self.names.add(name)
        path = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        for part in (b"070701" + b"".join(b"%08X" % f for f in fields) + path, data):
            self.data += part
            self.data += bytes(-len(self.data) % 4)

    def add_file(self, name, path):
        self.add(name, 0o100755, Path(path).read_bytes())

    def finish(self):
        self.add("TRAILER!!!", 0)
        return self.data


def write_image(arguments, work):
    """A disk that starts the kernel with the files in memory."""
    archive = Archive()
    archive.add("dev/console", 0o20600, device=(5, 1))
    archive.add_file("init", arguments.init)
    for program in arguments.tests:
        stripped = work / program.name
        # Debug information is most of a program, and the emulated disk is slow.
        if not shutil.which("strip") or subprocess.run(["strip", "-o", stripped, program]).returncode:
            stripped = program
        archive.add_file(f"tests/{program.name}", stripped)
    for program in (arguments.init, *arguments.tests):
        for library in libraries(program):
            archive.add_file(library.lstrip("/"), library)
    for binary in sorted(arguments.binaries.glob("*.kbin")):
        archive.add_file(f"binaries/{binary.name}", binary)

    disk = work / "disk"
    shutil.rmtree(disk, ignore_errors=True)
    disk.mkdir()
    (disk / "files").write_bytes(archive.finish())
    shutil.copy(arguments.kernel, disk / "kernel")
    shutil.copy(ISOLINUX, disk / "isolinux.bin")
    shutil.copy(LDLINUX, disk / "ldlinux.c32")
    (disk / "isolinux.cfg").write_text(
        f"DEFAULT kiln\nPROMPT 0\nLABEL kiln\nKERNEL kernel\nINITRD files\nAPPEND {COMMAND_LINE}\n")
    image = work / "disk.iso"
    subprocess.run(["xorriso", "-as", "mkisofs", "-quiet", "-o", image, "-b", "isolinux.bin",
                    "-c", "boot.cat", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table",
                    disk], check=True, stderr=subprocess.DEVNULL)
    shutil.rmtree(disk)
    return image


def write_settings(work, image, serial):
    """Bochs' two files: the computer, and "go on" for builds with a debugger."""
    settings = work / "bochsrc"
    settings.write_text(f"""\
cpu: model={MODEL}, count=1, ips=100000000, reset_on_triple_fault=0
memory: guest=2048, host=2048
romimage: file={BIOS}
vgaromimage: file={VGA_BIOS}
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path={image}, status=inserted
boot: cdrom
display_library: term
com1: enabled=1, mode=file, dev={serial}
log: {work / "bochs.log"}
panic: action=fatal
clock: sync=none
""")
    commands = work / "commands"
    commands.write_text("c\n")
    return settings, commands


def emulate(settings, commands, limit):
    """Runs Bochs, which wants a terminal, until the guest ends. Returns seconds."""
    started = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "vt100"
        os.execvp("bochs", ["bochs", "-q", "-f", str(settings), "-rc", str(commands)])
    watchdog = threading.Timer(limit, os.kill, (child, 9))
    watchdog.start()
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # The other side of the terminal is gone.
        pass
    watchdog.cancel()
    os.waitpid(child, 0)
    return time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("kernel", "init", "binaries", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True, nargs="+")
    parser.add_argument("--limit", type=float, default=540, help="seconds")
    arguments = parser.parse_args()

    lacking = missing(arguments.kernel)
    if lacking:
        must_run = bool(os.environ.get("KILN_SKIP_NOTHING"))
        print(f"{'failed' if must_run else 'skipped'}: not here: {', '.join(lacking)}\n"
              "scripts/install-packages.sh gets what the emulated test needs"
              + ("; KILN_SKIP_NOTHING is set, so this test must run" if must_run else ""))
        return 1 if must_run else 77
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    serial = work / "serial.txt"
    serial.unlink(missing_ok=True)
    image = write_image(arguments, work)
    seconds = emulate(*write_settings(work, image, serial), arguments.limit)
    image.unlink()

    text = serial.read_text(errors="replace") if serial.exists() else ""
    print(text)
    ended = re.search(r"^emulated-test: (\d+) of (\d+) passed", text, re.M)
    print(f"emulated for {seconds:.0f} s{'' if ended else '; it did not come to an end'}")
    return 0 if ended and ended[1] == ended[2] == str(len(arguments.tests)) else 1


if __name__ == "__main__":
    sys.exit(main())
