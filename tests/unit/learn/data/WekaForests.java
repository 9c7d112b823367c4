// Prints the distributions of classes that Weka's RandomForest predicts: for each pair of tables, seen0.arff and
// all0.arff in the folder, then seen1.arff and all1.arff, ..., a line for each row of the second table, after
// training on the first. The file trees0 has the number of trees; all else is as by default.
//
//     java -cp /usr/share/java/weka.jar WekaForests.java FOLDER
import java.io.File;
import java.io.FileReader;
import java.nio.file.Files;
import java.nio.file.Path;
import weka.classifiers.trees.RandomForest;
import weka.core.Instances;

public class WekaForests {
  static Instances read(File path) throws Exception {
    Instances rows = new Instances(new FileReader(path));
    rows.setClassIndex(rows.numAttributes() - 1);
    return rows;
  }

  public static void main(String[] arguments) throws Exception {
    for (int table = 0; new File(arguments[0], "seen" + table + ".arff").exists(); ++table) {
      RandomForest forest = new RandomForest();
      forest.setNumTrees(Integer.parseInt(Files.readString(Path.of(arguments[0], "trees" + table))));
      forest.buildClassifier(read(new File(arguments[0], "seen" + table + ".arff")));
      Instances rows = read(new File(arguments[0], "all" + table + ".arff"));
      for (int i = 0; i < rows.numInstances(); ++i) {
        StringBuilder line = new StringBuilder();
        for (double share : forest.distributionForInstance(rows.instance(i))) {
          if (line.length() > 0) line.append(',');
          line.append(share);
        }
        System.out.println(line);
      }
    }
  }
}
