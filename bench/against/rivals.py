"""The other implementations of CEL: what each needs, how it is installed into a folder, and how it is run.

To add one: a folder with a runner that answers the lines of README.md and pins its versions, and a row here.
"""
import dataclasses
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Rival:
    name: str
    tools: list      # programs that must be there
    version: list    # the command that prints the version of the language
    install: list    # commands; {here}: the folder of the runner, {out}: where to install it
    run: list        # the command that answers lines
    made: str        # a file under {out} that is there when it is installed
    folder: str = ""

    def __post_init__(self):
        self.folder = self.folder or self.name

    def places(self, build):
        return {"here": str(HERE / self.folder), "out": str(build / self.folder), "shared": str(HERE.parents[2] / "shared")}

    def missing(self, build):
        """Why it cannot run; nothing if it can."""
        absent = [tool for tool in self.tools if not shutil.which(tool)]
        if absent:
            return f"{' and '.join(absent)} not found"
        return "" if (build / self.folder / self.made).exists() else "not installed (--install)"

    def put(self, build):
        """Installs it, if its tools are there; says what failed."""
        if any(not shutil.which(tool) for tool in self.tools):
            return
        (build / self.folder).mkdir(parents=True, exist_ok=True)
        for command in self.install:
            filled = [part.format(**self.places(build)) for part in command]
            if subprocess.run(filled, check=False).returncode != 0:
                print(f"{self.name}: failed: {' '.join(filled)}")
                return

    def command(self, build):
        # A class path is too long for a table.
        classes = build / self.folder / "classpath"
        more = {"classpath": classes.read_text(encoding="utf-8") if classes.exists() else ""}
        return [part.format(**self.places(build), **more) for part in self.run]


RIVALS = [
    # The original: cel-go as the API server uses it, with Kubernetes' libraries and exact cost.
    Rival("Kubernetes", ["go"], ["go", "version"], [["go", "build", "-C", "{shared}/oracle", "-o", "{out}/run", "."]],
          ["{out}/run"], "run", "oracle"),
    Rival("cel-go", ["go"], ["go", "version"], [["go", "build", "-C", "{here}", "-o", "{out}/run", "."]],
          ["{out}/run"], "run", "go"),
    Rival("cel-cpp", ["python3", "pip"], ["python3", "--version"],
          [["pip", "install", "-q", "--root-user-action", "ignore", "--upgrade", "--target", "{out}", "-r", "{here}/requirements.txt"]],
          ["env", "PYTHONPATH={out}", "python3", "{here}/main.py"], "cel_expr_python", "python"),
    Rival("cel-rust", ["cargo"], ["rustc", "--version"],
          [["cp", "-r", "{here}/.", "{out}"], ["cargo", "build", "-q", "--release", "--manifest-path", "{out}/Cargo.toml"]],
          ["{out}/target/release/against"], "target/release/against", "rust"),
    Rival("cel-js", ["node", "npm"], ["node", "--version"],
          [["cp", "-r", "{here}/.", "{out}"], ["npm", "install", "--silent", "--no-package-lock", "--prefix", "{out}"]],
          ["node", "{out}/main.mjs"], "node_modules/@marcbachmann/cel-js", "js"),
    Rival("cel-java", ["java", "javac", "mvn"], ["java", "--version"],
          [["mvn", "-q", "-f", "{here}/pom.xml", "dependency:build-classpath", "-Dmdep.outputFile={out}/classpath"],
           ["sh", "-c", "javac -cp \"$(cat {out}/classpath)\" -d {out} {here}/Main.java"]],
          ["java", "-XX:+UseSerialGC", "-cp", "{classpath}:{out}", "Main"], "Main.class", "java"),
]
